import { readFileSync } from 'node:fs';

/** A test vector that is published for suppliers. */
export interface PublishedVector {
  readonly description: string;
  readonly valid: boolean;
  readonly secrets: readonly string[];
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  /** Unix time of the receiver; undefined when the age is not checked. */
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
