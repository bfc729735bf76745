import { readFileSync } from 'node:fs';

/** One of the test vectors that suppliers are given. */
export interface PublishedVector {
  readonly description: string;
  readonly valid: boolean;
  readonly secrets: readonly string[];
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  /** Unix time of the receiver; undefined when the age is not to be checked. */
  readonly now?: number;
}

export interface PublishedVectors {
  readonly tolerance_seconds: number;
  readonly vectors: readonly PublishedVector[];
}

export const VECTORS_FILE = new URL('../../../docs/webhook-test-vectors.json', import.meta.url);

export function publishedVectors(): PublishedVectors {
  return JSON.parse(readFileSync(VECTORS_FILE, 'utf8'));
}
