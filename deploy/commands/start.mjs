import { watchParent } from './parent-watch.mjs';
import { superviseStack } from './stack-process.mjs';

/** Runs the local stack in the foreground until it ends or is told to. Resolves to its exit code. */
export async function run(machine, args) {
  const stack = superviseStack(machine, args, { detached: false });
  const stop = () => stack.stop();
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  watchParent(stop);
  return stack.ended;
}
