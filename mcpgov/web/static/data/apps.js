// What people call an app: Claude Code, where records say `claude-code`.

import { known } from "./topics.js";

export const appName = (id) => known("status")?.clients?.find((each) => each.client === id)?.title ?? id;
