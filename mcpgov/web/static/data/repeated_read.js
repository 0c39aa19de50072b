// A read of the service that is repeated whenever something has changed.
//
// Laws: one at a time, so that no older answer comes after a newer one; however often it is asked for meanwhile, it is
// asked once more.

export function repeatedRead(ask, show, failed) {
  let running = false;
  let again = false;
  const run = async () => {
    again = running;
    if (running) return;
    running = true;
    try {
      show(await ask());
    } catch (error) {
      failed(error);
    }
    running = false;
    if (again) run();
  };
  return run;
}
