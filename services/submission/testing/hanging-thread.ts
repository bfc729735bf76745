import { PolicyThread, type ThreadBounds } from '../src/policies/policy-thread.ts';
import type { AskName } from '../src/policies/thread-asks.ts';

/** Creates a policy thread that runs other code. */
export function threadOf(code: string, bounds: Partial<ThreadBounds> = {}): PolicyThread {
  const text = `import { parentPort } from 'node:worker_threads';\n${code}`;
  const program = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  return new PolicyThread({ program, bounds });
}

/** Creates a policy thread that reports every policy as valid, and never answers the named request. */
export const hangingThread = (name: AskName): PolicyThread =>
  threadOf(`
    parentPort.on('message', ({ name }) => {
      if (name === '${name}') for (;;) {}
      parentPort.postMessage({ answer: { policy: { version: 'tried', rules: [] } } });
    });
    parentPort.postMessage('listening');`);
