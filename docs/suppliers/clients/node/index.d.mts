import type { Client } from 'openapi-fetch';
import type { components, paths } from './schema.d.mts';

export type { components, paths } from './schema.d.mts';

export interface ClientOptions {
  /** Of the sandbox or of production: an `https` URL. */
  readonly baseUrl: string;
  readonly credential: string;
  /** How often a request is sent at most; 5 unless told. */
  readonly attempts?: number;
  /** How long one attempt may take, in milliseconds; 30,000 unless told. */
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
