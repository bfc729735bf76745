const LOOK_EVERY_MS = 500;

/**
 * Calls `lost` when the npm that started this process is gone. npm is told to end like any program, but the shell
 * between it and this process passes nothing on. Without npm in between, a parent may well end before its child.
 */
export function watchParent(lost) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    lost();
  }, LOOK_EVERY_MS);
  timer.unref();
}
