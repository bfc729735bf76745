/**
 * The client that the suite tests: runs the suite's cases through the transport that our services use between each
 * other; with the argument `set`, in sets.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { anyPack, anyUnpack } from '@bufbuild/protobuf/wkt';
import { type Client, ConnectError, createClient } from '@connectrpc/connect';
import { buildConnector } from 'undici';
import { rpcTransport } from '../../services/lib/rpc/rpc-client/transport.ts';
import {
  type ClientRequest,
  conformanceService,
  framed,
  frames,
  messageType,
  toHeaders,
  types,
} from './contracts.ts';
import { outOfSets } from './sets.ts';

/** The number of concurrent calls. */
const CALLS = 4;
const TIMEOUT_MS = 60_000;
const service = conformanceService();
const responseType = messageType('ClientCompatResponse');
const requestInfo = messageType('ConformancePayload.RequestInfo');
const clients = new Map<string, Promise<Client<typeof service>>>();

const inSets = process.argv[2] === 'set';

function clientOf(given: ClientRequest): Promise<Client<typeof service>> {
  const name = `${given.port} ${given.clientTlsCreds !== undefined}`;
  const client = clients.get(name) ?? openClient(given);
  clients.set(name, client);
  return client;
}

async function openClient({ host, port, serverTlsCert, clientTlsCreds }: ClientRequest) {
  const isTls = serverTlsCert.length > 0;
  const own = clientTlsCreds
    ? { cert: Buffer.from(clientTlsCreds.cert), key: Buffer.from(clientTlsCreds.key) }
    : {};
  const tls = isTls ? { ca: Buffer.from(serverTlsCert), ...own } : {};
  const origin = `${isTls ? 'https' : 'http'}://${host}:${port}`;
  const transport = rpcTransport({
    baseUrl: inSets ? await outOfSets(origin) : origin,
    connect: buildConnector({ timeout: TIMEOUT_MS, allowH2: false, ...tls }),
    defaultTimeoutMs: TIMEOUT_MS,
    identify: async () => ({}),
    together: inSets ? Object.fromEntries(service.methods.map(({ localName }) => [localName, {}])) : {},
  });
  return createClient(service, transport);
}

type Call = (
  message: object,
  options: object,
) => Promise<{ readonly payload?: { readonly requestInfo?: object } }>;

async function call(given: ClientRequest) {
  const { method, requestMessages, requestHeaders, requestDelayMs, timeoutMs, cancel } = given;
  const name = `${method.slice(0, 1).toLowerCase()}${method.slice(1)}`;
  const [only] = requestMessages;
  const message = only && anyUnpack(only, types);
  if (!message) throw new Error('a case without a message');
  const headers = new Headers();
  for (const { name: header, value } of requestHeaders) for (const one of value) headers.append(header, one);
  await pause(requestDelayMs);
  const cancelled = new AbortController();
  const { case: when, value } = cancel?.cancelTiming ?? {};
  if (cancel) void pause(when === 'afterCloseSendMs' ? Number(value) : 0).then(() => cancelled.abort());
  const metadata: { responseHeaders?: object[]; responseTrailers?: object[] } = {};
  try {
    const make = Reflect.get(await clientOf(given), name) as Call;
    const { payload } = await make(message, {
      headers,
      signal: cancelled.signal,
      timeoutMs,
      onHeader: (seen: Headers) => void Object.assign(metadata, { responseHeaders: toHeaders(seen) }),
      onTrailer: (seen: Headers) => void Object.assign(metadata, { responseTrailers: toHeaders(seen) }),
    });
    if (timeoutMs === undefined && payload?.requestInfo)
      Reflect.deleteProperty(payload.requestInfo, 'timeoutMs');
    return { ...metadata, payloads: [payload ?? {}] };
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    const details = error.details.flatMap((detail) => ('type' in detail ? [packed(detail, timeoutMs)] : []));
    const all = toHeaders(error.metadata);
    const failure = { code: error.code, message: error.rawMessage, details };
    // An error's metadata combines headers and trailers.
    return { responseHeaders: all, responseTrailers: all, error: failure };
  }
}

/**
 * Returns a detail as received, without the deadline that the server echoes, because our client sends one with every
 * call.
 */
function packed({ type, value }: { type: string; value: Uint8Array }, timeoutMs: number | undefined) {
  const detail = { typeUrl: `type.googleapis.com/${type}`, value };
  if (type !== requestInfo.typeName || timeoutMs !== undefined) return detail;
  const info = fromBinary(requestInfo, value);
  Reflect.deleteProperty(info, 'timeoutMs');
  return anyPack(requestInfo, info);
}

async function answer(bytes: Uint8Array): Promise<void> {
  const given = fromBinary(messageType('ClientCompatRequest'), bytes) as unknown as ClientRequest;
  const result = await call(given).then(
    (value) => ({ case: 'response', value }),
    (error: unknown) => ({ case: 'error', value: { message: String(error) } }),
  );
  const response = create(responseType, { testName: given.testName, result });
  process.stdout.write(framed(toBinary(responseType, response)));
}

const inProgress = new Set<Promise<void>>();
for await (const bytes of frames(process.stdin)) {
  const one = answer(bytes).finally(() => inProgress.delete(one));
  inProgress.add(one);
  if (inProgress.size >= CALLS) await Promise.race(inProgress);
}
await Promise.all(inProgress);
process.exit(0);
