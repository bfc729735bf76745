import type { Client } from 'openapi-fetch';
import type { components, paths } from './schema.d.mts';

export type { components, paths } from './schema.d.mts';

export interface ClientOptions {
  /** Of the sandbox or of production: an `https` URL. */
  readonly baseUrl: string;
  readonly credential: string;
  /** The maximum number of attempts; 5 by default. */
  readonly attempts?: number;
  /** The timeout of one attempt, in milliseconds; 30,000 by default. */
  readonly attemptMs?: number;
  readonly fetch?: (request: Request) => Promise<Response>;
}

export type SubmissionsClient = Client<paths>;
export function createClient(options: ClientOptions): SubmissionsClient;

export type WebhookEvent = components['schemas']['WebhookEvent'];
export class WebhookRefused extends Error {}
export function readWebhook(request: {
  readonly body: Uint8Array | string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly secrets: readonly string[];
  /** Unix time in seconds. */
  readonly now?: number;
}): WebhookEvent;
