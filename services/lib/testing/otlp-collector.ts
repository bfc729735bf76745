import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';

/** An exported span: the fields of opentelemetry/proto/trace/v1/trace.proto, with its resource merged in. */
export interface ExportedSpan {
  readonly service: string;
  readonly resource: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer' | 'unspecified';
  /** Unix time in milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly atMs: number }[];
  readonly links: readonly {
    readonly traceId: string;
    readonly spanId: string;
    readonly isSampled: boolean;
  }[];
  readonly isError: boolean;
  readonly statusMessage: string;
}

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A collector for OTLP over HTTP with protobuf, on loopback. */
export interface OtlpCollector {
  readonly port: number;
  /** The path and headers of each request received. */
  readonly requests: readonly { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[];
  /** The spans of all requests, in the order received. */
  readonly spans: readonly ExportedSpan[];
  /** Sets the response status of further requests. */
  answer(status: number): void;
  close(): Promise<void>;
}

export async function startOtlpCollector(port = 0): Promise<OtlpCollector> {
  const requests: OtlpCollector['requests'][number][] = [];
  const spans: ExportedSpan[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      if (status === 200) spans.push(...readExport(Buffer.concat(chunks)));
      response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    spans,
    answer: (next) => {
      status = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Parses an ExportTraceServiceRequest. Throws for malformed bytes. */
export function readExport(bytes: Uint8Array): ExportedSpan[] {
  const spans: ExportedSpan[] = [];
  fields(bytes, {
    1: (resourceSpans) => {
      let resource: Attributes = {};
      const scopes: Uint8Array[] = [];
      fields(resourceSpans.bytes(), {
        1: (reader) => {
          resource = attributesIn(reader.bytes(), 1);
        },
        2: (reader) => scopes.push(reader.bytes()),
      });
      for (const scope of scopes)
        fields(scope, { 2: (reader) => spans.push(readSpan(reader.bytes(), resource)) });
    },
  });
  return spans;
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const ERROR = 2;

function readSpan(bytes: Uint8Array, resource: Attributes): ExportedSpan {
  const span = {
    service: String(resource['service.name'] ?? ''),
    resource,
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 'unspecified' as ExportedSpan['kind'],
    startMs: 0,
    endMs: 0,
    attributes: attributesIn(bytes, 9),
    events: [] as ExportedSpan['events'][number][],
    links: [] as ExportedSpan['links'][number][],
    isError: false,
    statusMessage: '',
  };
  fields(bytes, {
    1: (reader) => {
      span.traceId = hex(reader);
    },
    2: (reader) => {
      span.spanId = hex(reader);
    },
    4: (reader) => {
      span.parentSpanId = hex(reader);
    },
    5: (reader) => {
      span.name = reader.string();
    },
    6: (reader) => {
      span.kind = KINDS[reader.int32()] ?? 'unspecified';
    },
    7: (reader) => {
      span.startMs = ms(reader);
    },
    8: (reader) => {
      span.endMs = ms(reader);
    },
    11: (reader) => {
      const event = { name: '', atMs: 0 };
      fields(reader.bytes(), {
        1: (inner) => {
          event.atMs = ms(inner);
        },
        2: (inner) => {
          event.name = inner.string();
        },
      });
      span.events.push(event);
    },
    13: (reader) => {
      const link = { traceId: '', spanId: '', isSampled: false };
      fields(reader.bytes(), {
        1: (inner) => {
          link.traceId = hex(inner);
        },
        2: (inner) => {
          link.spanId = hex(inner);
        },
        6: (inner) => {
          link.isSampled = (inner.fixed32() & 1) === 1;
        },
      });
      span.links.push(link);
    },
    15: (reader) =>
      fields(reader.bytes(), {
        2: (inner) => {
          span.statusMessage = inner.string();
        },
        3: (inner) => {
          span.isError = inner.int32() === ERROR;
        },
      }),
  });
  return span;
}

const hex = (reader: BinaryReader) => Buffer.from(reader.bytes()).toString('hex');
const ms = (reader: BinaryReader) => Number(reader.fixed64()) / 1e6;

/** Returns the attributes (KeyValue) in the given field number. */
function attributesIn(bytes: Uint8Array, number: number): Attributes {
  const attributes: Record<string, string | number | boolean> = {};
  fields(bytes, {
    [number]: (reader) => {
      let key = '';
      let value: string | number | boolean = '';
      fields(reader.bytes(), {
        1: (inner) => {
          key = inner.string();
        },
        2: (inner) =>
          fields(inner.bytes(), {
            1: (of) => {
              value = of.string();
            },
            2: (of) => {
              value = of.bool();
            },
            3: (of) => {
              value = Number(of.int64());
            },
            4: (of) => {
              value = of.double();
            },
          }),
      });
      attributes[key] = value;
    },
  });
  return attributes;
}

/** Calls the reader given for each field number of a message; skips other fields. */
function fields(bytes: Uint8Array, read: Record<number, (reader: BinaryReader) => unknown>): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType]: [number, WireType] = reader.tag();
    const take = read[number];
    if (take) take(reader);
    else reader.skip(wireType, number);
  }
}
