import { Code } from '@mantine/core';
import { visibleLines } from '@supplier/lib/text/visible';

/** The beginning of a receiver's response, as text. */
export const ResponseBody = ({ head }: { readonly head: Uint8Array | undefined }) =>
  head && head.length > 0 ? (
    <Code block mah="60vh" style={{ overflow: 'auto' }}>
      {visibleLines(new TextDecoder().decode(head))}
    </Code>
  ) : null;
