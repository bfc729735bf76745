import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, type Message } from '@bufbuild/protobuf';
import { type Any, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Code } from '@connectrpc/connect';
import { CONFORMANCE_PROTOS } from '../../deploy/programs/tools.ts';

/** The suite's contracts, read when it is obtained: no copy of them is in this repository. */
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

// What the programs use of the suite's messages, as they are in memory.

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
  /** Of one response. */
  readonly response: { readonly case?: 'responseData' | 'error'; readonly value?: Uint8Array | Failure };
  /** Of a stream. */
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

/** Headers in the suite's form. */
export const toHeaders = (headers: Headers): Header[] =>
  [...headers].map(([name, value]) => ({ name, value: [value] }));

/** A message behind its length, as the suite's pipes carry it. */
export function framed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.byteLength);
  return Buffer.concat([length, bytes]);
}

/** The messages that come through a pipe. */
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
