import { request } from 'undici';

const ANSWER_MS = 2_000;

/** Whether the process at this port of the loopback address is ready. */
export async function answersReady(port: number): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      reset: true,
    });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
