// Requests to the service beside this page. Law: addresses are relative (the service's base path is random), a change
// is a POST of JSON with the session's token, and every failure is an ApiError with words for a person. An answer that
// comes while something is pressed is handed on after that.

import { released } from "./presses.js";
import { tell } from "./topics.js";

let token = "";

class ApiError extends Error {
  constructor({ message, hint = "", code = "", problems = [] }, status = 0) {
    super(message);
    this.hint = hint;
    this.code = code;
    this.status = status;
    this.problems = problems;
  }
}

const NO_WAY = { message: "the page service does not answer", hint: "`mcpgov open` starts it again", code: "away" };
const SLOWEST = 60_000; // milliseconds
const MOST_AGAIN = 4;
const PAUSE = 700; // milliseconds, and longer each time

// GET; `given`: the query, empty values left out. What is asked too often, as by many pages at once, is asked again.
export async function read(path, given = {}) {
  for (let again = 1; ; again++) {
    try {
      return await request(address(path, given), { headers: { Accept: "application/json" } });
    } catch (error) {
      if (error.code !== "too-many" || again > MOST_AGAIN) throw error;
      await new Promise((resolve) => setTimeout(resolve, again * PAUSE));
    }
  }
}

// POST. Where the page was opened once more in this browser, that is another session, with another token.
export async function change(path, body = {}) {
  try {
    return await post(path, body);
  } catch (error) {
    if (error.code !== "token") throw error;
    await hello();
    return post(path, body);
  }
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json", "X-Mcpgov-Token": token, Accept: "application/json" };
  return request(`api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

export function address(path, given = {}) {
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== "" && value !== undefined));
  return query.size ? `api/${path}?${query}` : `api/${path}`;
}

// The first request of all: who serves us, what it knows, and the token for changes.
export async function hello() {
  const said = await request("api/hello", {});
  token = said.token;
  return said;
}

async function request(url, options) {
  let answer;
  try {
    answer = await fetch(url, {
      ...options,
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(SLOWEST),
    });
  } catch (error) {
    await released();
    throw new ApiError(
      error.name === "TimeoutError" ? { message: "no answer within a minute", hint: "try again" } : NO_WAY,
    );
  }
  let body = null;
  try {
    body = await answer.json();
  } catch {
    // Whatever it was, it was not for us.
  }
  await released();
  if (answer.status === 401) tell("link", { state: "ended", since: Date.now() });
  if (!answer.ok)
    throw new ApiError(
      body?.error ?? { message: `the service answered ${answer.status}`, hint: "try again" },
      answer.status,
    );
  return body?.data ?? body;
}
