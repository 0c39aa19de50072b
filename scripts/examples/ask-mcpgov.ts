// A server written in TypeScript asks mcpgov before it deletes a file. Node 22.18 and later run it as it is.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

interface Answer {
  allowed?: boolean;
  granted?: boolean;
}

const gov = new Client({ name: "my-server", version: "1.0.0" });
const [command = "mcpgov", ...args] = (process.env.MCPGOV_COMMAND ?? "mcpgov serve").split(" ");
await gov.connect(new StdioClientTransport({ command, args, env: { ...process.env } as Record<string, string> }));

/** Whatever goes wrong (a wrong argument, too many calls, no daemon) is an answer that allows nothing. */
async function ask(name: string, given: Record<string, unknown>): Promise<Answer> {
  try {
    const answer = await gov.callTool({ name, arguments: given });
    return answer.isError ? {} : ((answer.structuredContent ?? {}) as Answer);
  } catch {
    return {};
  }
}

export async function mayDelete(path: string): Promise<boolean> {
  const intent = await ask("checkIntent", { description: "delete a file", action_type: "file_delete", target: path });
  if (intent.allowed === true) return true;
  const justification = "the user asked me to clean up";
  const permission = await ask("requestPermission", { resource: path, operation: "delete", justification });
  return permission.granted === true;
}

console.log(JSON.stringify(await Promise.all(process.argv.slice(2).map(mayDelete))));
await gov.close();
