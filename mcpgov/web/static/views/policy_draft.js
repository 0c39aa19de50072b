// What is typed into the policy's views and not saved: it outlives a look at another view.

// `text`: null while it is the file's own.
export const draft = { text: null, digest: "" };

export const trial = { server: "", tool: "", args: "", client: "", project: "", byDraft: true };
