const LOOK_EVERY_MS = 500;

/**
 * Calls `lost` when the npm that started this process is gone, because a killed npm forwards no signal. Returns how to stop
 * watching. Package scripts use `exec`: a shell between npm and this process would keep SIGINT to itself.
 */
export function watchParent(lost) {
  if (!process.env.npm_lifecycle_event) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    lost();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
