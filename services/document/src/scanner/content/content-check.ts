import { type ContentType, contentTypeOf } from '../../domain/content-types.ts';
import { type ContentRule, contentRules } from './content-rules.ts';
import { streamEnds } from './stream-ends.ts';

/** Looks at a stream on its way to the scanner. */
export interface ContentCheck {
  take(chunk: Uint8Array): void;
  /** Whether the bytes so far, which are all there are, are what their declared type says. */
  matches(): Promise<boolean>;
  size(): number;
}

/** For a type that is none of ours. */
const NOTHING_MATCHES: ContentRule = { headBytes: 0, tailBytes: 0, accepts: () => false };

/**
 * Checks content against its declared type: by what it begins and ends with, text byte by byte. Keeps at most a little
 * more than a mebibyte. A type that is none of ours is matched by nothing. Implements docs/contract.md, section 2.
 */
export function contentCheck(declaredType: string): ContentCheck {
  const type: ContentType | undefined = contentTypeOf(declaredType);
  const rule = type ? contentRules[type]() : NOTHING_MATCHES;
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
