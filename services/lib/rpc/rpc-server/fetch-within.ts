import type { FetchImplementation } from 'jose';

/**
 * Fetches a response of at most `maxBytes`, whatever length its sender declares. Rejects as soon as it exceeds that.
 * The caller's signal bounds the time, including reading the body.
 */
export function fetchWithin(maxBytes: number): FetchImplementation {
  return async (url, options) => {
    const answer = await fetch(url, options);
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel();
      return new Response(null, { status: answer.ok ? 204 : answer.status });
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += chunk.byteLength;
      // Leaving the loop cancels the rest.
      if (bytes > maxBytes) throw new Error(`answer refused: larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return new Response(Buffer.concat(chunks), { status: answer.status });
  };
}
