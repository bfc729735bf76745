import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '@supplier/proto/grpc/health';
import { serviceReadiness } from './readiness.ts';

type Status = Serving.SERVING | Serving.NOT_SERVING;
const NAMES = ['account', 'submission', 'document'] as const;
const access = { tokens: { tokenFor: async () => 'token' }, connect: undefined };

let status: Record<string, Status>;
let servers: Map<string, Server>;
let urls: Record<(typeof NAMES)[number], string>;
beforeEach(async () => {
  status = {};
  servers = new Map();
  urls = { account: '', submission: '', document: '' };
  for (const name of NAMES) {
    const server = createServer(answering(() => status[name] ?? Serving.SERVING)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.set(name, server);
    urls[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
afterEach(() => NAMES.forEach(end));
function end(name: string): void {
  servers.get(name)?.closeAllConnections();
  servers.get(name)?.close();
}

/** Responds to health checks like a service. */
function answering(now: () => Status): RequestListener {
  return (request, response) => {
    const answer = toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status: now() }));
    request.resume().on('end', () => {
      const isHealth = request.url === '/grpc.health.v1.Health/Check';
      response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/proto' }).end(answer);
    });
  };
}

const open = () => serviceReadiness(urls, access, { everyMs: 0 });

describe('serviceReadiness', () => {
  it('is ready and lacks nothing while every service works', async () => {
    expect(await open()()).toEqual({ ready: true });
  });

  it.each([
    ['account', 'the account service does not respond: requests cannot be authenticated'],
    ['submission', 'the submission service does not respond: submissions cannot be created or read'],
  ])('is not ready until the %s service has responded once, and names it', async (name, lacks) => {
    const port = Number(new URL(urls[name as keyof typeof urls]).port);
    end(name);
    const ready = open();
    expect(await ready()).toEqual({ ready: false, lacks });
    const again = createServer(answering(() => Serving.SERVING)).listen(port, '127.0.0.1');
    await once(again, 'listening');
    servers.set(name, again);
    expect(await ready()).toEqual({ ready: true });
  });

  it('names a service that is not ready itself', async () => {
    status.submission = Serving.NOT_SERVING;
    expect(await open()()).toEqual({
      ready: false,
      lacks: 'the submission service is not ready: submissions cannot be created or read',
    });
  });

  it('is ready without the document service and reports it', async () => {
    end('document');
    expect(await open()()).toEqual({
      ready: true,
      lacks: 'the document service does not respond: documents cannot be uploaded',
    });
  });

  it('stays ready when services are lost later, so that suppliers get 503, and names all of them', async () => {
    const ready = open();
    await ready();
    for (const name of NAMES) end(name);
    const { ready: isReady, lacks = '' } = await ready();
    expect(isReady).toBe(true);
    expect(lacks.split('; ').map((text) => text.split(' ')[1])).toEqual([...NAMES]);
  });

  it('checks each service once for concurrent callers', async () => {
    let asked = 0;
    const counted = { ...access, tokens: { tokenFor: async () => `token ${++asked}` } };
    const ready = serviceReadiness(urls, counted, { everyMs: 600_000 });
    await Promise.all(Array.from({ length: 20 }, () => ready()));
    await ready();
    expect(asked).toBe(NAMES.length);
  });
});
