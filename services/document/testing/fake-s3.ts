import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3StoreConfig } from '../src/object-store/store-config.ts';

/** Starts an S3 server that answers as `act` does, with buckets named `quarantine` and `clean`. */
export async function startFakeS3(act: http.RequestListener) {
  const server = http.createServer(act);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const user = { accessKeyId: 'user', secretAccessKey: 'secret' };
  const config: S3StoreConfig = {
    ...{ kind: 's3', endpoint, publicUrl: endpoint, region: 'eu-west-2' },
    ...{ quarantineBucket: 'quarantine', cleanBucket: 'clean' },
    access: { kind: 'keys', quarantine: user, clean: user },
  };
  return {
    config,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
