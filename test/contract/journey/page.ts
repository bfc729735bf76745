import { request } from 'undici';

/** A response from a journey page, without following redirects. */
export interface JourneyPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends one request to a journey link; times out after 10 s. */
export async function page(url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET'): Promise<JourneyPage> {
  const form = method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
  const answer = await request(url, { method, headers: form, headersTimeout: 10_000, bodyTimeout: 10_000 });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}
