const LOOK_EVERY_MS = 500;

/**
 * Calls `lost` when the npm that started this process is gone, because the shell between them forwards no signals. Returns
 * how to stop watching.
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
