import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 20;

/** What became of the requests. */
export interface Load {
  readonly sent: number;
  readonly failures: readonly string[];
}

/** Asks again and again while `work` goes on, by turns on a kept connection and on a new one; nothing is sent twice. */
export async function loadDuring(host: string, work: Promise<unknown>): Promise<Load> {
  const kept = new Agent({ keepAlive: true, maxSockets: 4 });
  const failures: string[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  while (!over) {
    const one = ask(host, sent % 2 === 0 ? kept : false).then(
      () => undefined,
      (error) => void failures.push(String(error)),
    );
    sent += 1;
    open.add(one);
    void one.finally(() => open.delete(one));
    await pause(EVERY_MS);
  }
  await Promise.all([done, ...open]);
  kept.destroy();
  return { sent, failures };
}

/** Rejects unless the answer is good. */
export function ask(host: string, agent: Agent | false = false, path = '/'): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(20_000);
    const asked = request({ host, port: 80, path, agent, signal }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(text) : reject(new Error(`${answer.statusCode}`)),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}
