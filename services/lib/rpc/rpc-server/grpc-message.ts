import { Http2ServerResponse } from 'node:http2';
import type { connectNodeAdapter } from '@connectrpc/connect-node';

type Handler = ReturnType<typeof connectNodeAdapter>;

/**
 * Writes the sentence of a refusal into gRPC's trailers as the protocol requires: printable ASCII stays as it is.
 * Connect escapes punctuation as well, which grpc-js does not unescape, so that people would read `first%3A`.
 */
export function withPlainGrpcMessages(handler: Handler): Handler {
  return (request, response) => {
    if (response instanceof Http2ServerResponse) {
      const addTrailers = response.addTrailers.bind(response);
      response.addTrailers = (trailers) => {
        const message = trailers['grpc-message'];
        if (typeof message !== 'string') addTrailers(trailers);
        else addTrailers({ ...trailers, 'grpc-message': plainMessage(message) });
      };
    }
    handler(request, response);
  };
}

function plainMessage(escaped: string): string {
  return decodeURIComponent(escaped).replace(/[^ -$&-~]+/gu, encodeURIComponent);
}
