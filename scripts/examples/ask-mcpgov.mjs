// A server written in TypeScript or JavaScript asks mcpgov before it deletes a file.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const gov = new Client({ name: "my-server", version: "1.0.0" });
const [command = "mcpgov", ...args] = (process.env.MCPGOV_COMMAND ?? "mcpgov serve").split(" ");
await gov.connect(new StdioClientTransport({ command, args, env: { ...process.env } }));

export async function mayDelete(path) {
  const { structuredContent: intent } = await gov.callTool({
    name: "checkIntent",
    arguments: { description: "delete a file", action_type: "file_delete", target: path },
  });
  if (intent.allowed) return true;
  const { structuredContent: permission } = await gov.callTool({
    name: "requestPermission",
    arguments: { resource: path, operation: "delete", justification: "the user asked me to clean up" },
  });
  return permission?.granted === true;
}

console.log(JSON.stringify(await Promise.all(process.argv.slice(2).map(mayDelete))));
await gov.close();
