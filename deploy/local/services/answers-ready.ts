import { request } from 'undici';

const ANSWER_MS = 2_000;

/** True when the process that listens on the port of the loopback address says that it is ready. */
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
