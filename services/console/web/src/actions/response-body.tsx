import { visibleLines } from '@supplier/lib/text/visible';

/** The beginning of a receiver's response, as text. */
export const ResponseBody = ({ head }: { readonly head: Uint8Array | undefined }) =>
  head && head.length > 0 ? (
    <pre className="answer">{visibleLines(new TextDecoder().decode(head))}</pre>
  ) : null;
