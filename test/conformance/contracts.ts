import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, type Message } from '@bufbuild/protobuf';
import { type Any, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Code } from '@connectrpc/connect';
import { CONFORMANCE_PROTOS } from '../../deploy/programs/tools.ts';

/** The suite's contracts, read from the obtained suite: this repository has no copy. */
export const types = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(CONFORMANCE_PROTOS)),
);
const PACKAGE = 'connectrpc.conformance.v1';

export function messageType(name: string) {
  const found = types.getMessage(`${PACKAGE}.${name}`);
  if (!found) throw new Error(`the suite has no message ${name}`);
  return found;
}

export function conformanceService() {
  const found = types.getService(`${PACKAGE}.ConformanceService`);
  if (!found) throw new Error('the suite has no service');
  return found;
}

// The fields of the suite's messages that the programs use, as decoded.

export interface Header {
  readonly name: string;
  readonly value: readonly string[];
}

export interface Failure {
  readonly code: Code;
  readonly message?: string;
  readonly details: Any[];
}

export interface ResponseDefinition {
  readonly responseHeaders: readonly Header[];
  readonly responseTrailers: readonly Header[];
  readonly responseDelayMs: number;
  /** For unary responses. */
  readonly response: { readonly case?: 'responseData' | 'error'; readonly value?: Uint8Array | Failure };
  /** For streams. */
  readonly responseData: readonly Uint8Array[];
  readonly error?: Failure;
}

export interface Request extends Message {
  readonly responseDefinition?: ResponseDefinition;
  readonly fullDuplex?: boolean;
}

export interface TlsCredentials {
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
}

export interface ServerRequest extends Message {
  /** 1, 2 or 3. */
  readonly httpVersion: number;
  readonly useTls: boolean;
  readonly clientTlsCert: Uint8Array;
  readonly serverCreds?: TlsCredentials;
  readonly messageReceiveLimit: number;
}

export interface ClientRequest extends Message {
  readonly testName: string;
  readonly host: string;
  readonly port: number;
  readonly serverTlsCert: Uint8Array;
  readonly clientTlsCreds?: TlsCredentials;
  readonly method: string;
  readonly requestHeaders: readonly Header[];
  readonly requestMessages: Any[];
  readonly timeoutMs?: number;
  readonly requestDelayMs: number;
  readonly cancel?: { readonly cancelTiming: { readonly case?: string; readonly value?: unknown } };
}

/** Converts headers to the suite's form. */
export const toHeaders = (headers: Headers): Header[] =>
  [...headers].map(([name, value]) => ({ name, value: [value] }));

/** Prefixes a message with its length, as the suite's pipes require. */
export function framed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.byteLength);
  return Buffer.concat([length, bytes]);
}

/** Yields the messages that arrive through a pipe. */
export async function* frames(pipe: AsyncIterable<Buffer>): AsyncIterable<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of pipe) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      yield rest.subarray(4, end);
      rest = rest.subarray(end);
    }
  }
}
