// The tabs of one browser: one leads, and tells the others what it hears.
//
// Laws: who holds the lock leads; when that tab closes, crashes or is put to sleep, another one does. A tab that joins is
// first told all that is known, then what comes; what comes meanwhile waits for that.

const PATIENCE = 3000; // milliseconds that a leader has to answer; one that sleeps is replaced
const LOOK = 20_000; // milliseconds between two looks at the leader, of a tab that is seen

// `lead()`, `rest()`: this tab leads, or leads no more; `told(said)`: something was said; `all(give)`: gives a list of what
// would have been said to one who knows nothing. Returns `tell(said)` and `leave()`, for the leader.
export function shareTabs(stem, { lead, rest, told, all }) {
  if (!navigator.locks) {
    queueMicrotask(lead);
    return { tell: () => {}, leave: () => {} };
  }
  const name = `${stem} ${location.pathname}`;
  const me = crypto.randomUUID();
  const channel = new BroadcastChannel(name);
  let release = null; // while it leads
  let joined = false;
  let left = false;
  let waiting = []; // said before this tab knows the rest
  let silence = 0;

  const hear = {
    ask: ({ from }) => release && all((known) => channel.postMessage({ type: "all", to: from, known })),
    leads: () => {
      if (left) join();
      left = false;
      if (!joined) send("ask");
    },
    all: ({ to, known }) => {
      if (to !== me) return;
      clearTimeout(silence);
      if (joined) return;
      joined = true;
      for (const said of [...known, ...waiting.splice(0)]) told(said);
    },
    look: ({ from }) => release && channel.postMessage({ type: "here", to: from }),
    here: ({ to }) => to === me && clearTimeout(silence),
    said: ({ said }) => (joined ? told(said) : waiting.push(said)),
  };
  channel.onmessage = ({ data }) => hear[data.type]?.(data);

  function send(type) {
    channel.postMessage({ type, from: me });
    clearTimeout(silence);
    silence = setTimeout(() => join({ steal: true }), PATIENCE);
  }

  // Leads as soon as the lock is free, until this tab is gone, leaves, or another one has taken the lock.
  function join(how = {}) {
    const hold = () => {
      clearTimeout(silence);
      joined = true;
      waiting = [];
      const held = new Promise((done) => (release = done));
      channel.postMessage({ type: "leads" });
      lead();
      return held;
    };
    navigator.locks.request(name, how, hold).catch(() => {
      release = null;
      rest();
      join();
    });
  }

  const look = () => joined && !left && !release && !document.hidden && send("look");
  document.addEventListener("visibilitychange", look);
  setInterval(look, LOOK);
  navigator.locks.request(name, { ifAvailable: true }, (lock) => {
    join();
    if (!lock) send("ask");
  });

  return {
    tell: (said) => channel.postMessage({ type: "said", said }),
    // It has nothing to tell any more; it listens again once another tab leads.
    leave: () => {
      left = true;
      release?.();
      release = null;
    },
  };
}
