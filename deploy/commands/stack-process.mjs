import { spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * Starts the local stack as a child process. `stores` resolves to the URLs of PostgreSQL and NATS when they are ready, `ready` to the
 * path of stack.json, both to undefined if the stack ends before; `ended` to the exit code. The stack ends with this process.
 */
export function superviseStack(machine, args, { detached }) {
  const child = spawn(
    machine.node,
    [...machine.nodeFlags, '--max-semi-space-size=4', join(machine.root, 'deploy/local/start.ts'), ...args],
    {
      cwd: machine.root,
      env: machine.env,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached,
    },
  );
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`cannot start the local stack: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
  const told = (what) =>
    new Promise((resolve) => {
      child.on('message', (message) => message?.[what] && resolve(message[what]));
      void ended.then(() => resolve(undefined));
    });
  const [stores, ready] = [told('stores'), told('ready')];
  const stop = () => {
    if (child.connected) child.send('stop');
  };
  return { stores, ready, ended, stop };
}
