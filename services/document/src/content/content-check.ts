import { type ContentType, contentTypeOf } from '../model/content-types.ts';
import { type ContentPolicy, contentRules } from './content-rules.ts';
import { type ContentRule, streamEnds } from './stream-ends.ts';

/** Inspects a stream on its way to the scanner. */
export interface ContentCheck {
  take(chunk: Uint8Array): void;
  /** Whether the stream, which has ended, is of its declared type. */
  matches(): Promise<boolean>;
  size(): number;
}

/** For a type that is not accepted. */
const NOTHING_MATCHES: ContentRule = { headBytes: 0, tailBytes: 0, accepts: () => false };

/** What applies where an operator has decided nothing. */
export const CONTENT_POLICY: ContentPolicy = { refusePdfActions: true };

/**
 * Checks content against its declared type: by its first and last bytes, text byte by byte, images from their first
 * marker to their last. Buffers some mebibytes at most. Nothing matches a type that is not accepted. Implements docs/contract.md, section 2.
 */
export function contentCheck(declaredType: string, policy = CONTENT_POLICY): ContentCheck {
  const type: ContentType | undefined = contentTypeOf(declaredType);
  const rule = type ? contentRules[type](policy) : NOTHING_MATCHES;
  const ends = streamEnds(rule.headBytes, rule.tailBytes);
  return {
    take(chunk) {
      ends.take(chunk);
      rule.look?.(chunk);
    },
    matches: async () => rule.accepts(ends),
    size: ends.size,
  };
}
