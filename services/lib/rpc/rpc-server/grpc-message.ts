import type { Http2ServerResponse } from 'node:http2';

/**
 * Writes refusal messages into gRPC trailers as the protocol requires, leaving printable ASCII unescaped. Connect also
 * escapes punctuation, which grpc-js does not unescape, so people would read `first%3A`.
 */
export function writePlainGrpcMessages(response: Http2ServerResponse): void {
  const addTrailers = response.addTrailers.bind(response);
  response.addTrailers = (trailers) => {
    const message = trailers['grpc-message'];
    addTrailers(
      typeof message === 'string' ? { ...trailers, 'grpc-message': plainMessage(message) } : trailers,
    );
  };
}

function plainMessage(escaped: string): string {
  return decodeURIComponent(escaped).replace(/[^ -$&-~]+/gu, encodeURIComponent);
}
