import type { Http2ServerResponse } from 'node:http2';

/**
 * Writes the message of a refusal into gRPC's trailers as the protocol requires: printable ASCII stays as it is. Connect
 * escapes punctuation as well, which grpc-js does not unescape, so that people would read `first%3A`.
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
