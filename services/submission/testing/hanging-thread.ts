import { PolicyThread, type ThreadBounds } from '../src/policies/policy-thread.ts';
import type { AskName } from '../src/policies/thread-asks.ts';

/** A thread that runs other code. */
export function threadOf(code: string, bounds: Partial<ThreadBounds> = {}): PolicyThread {
  const text = `import { parentPort } from 'node:worker_threads';\n${code}`;
  const program = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  return new PolicyThread({ program, bounds });
}

/** A thread that answers every ask as if a policy were good, and never comes to an end of the one named. */
export const hangingThread = (name: AskName): PolicyThread =>
  threadOf(`
    parentPort.on('message', ({ name }) => {
      if (name === '${name}') for (;;) {}
      parentPort.postMessage({ answer: { policy: { version: 'tried', rules: [] } } });
    });
    parentPort.postMessage('listening');`);
