import { natsConfig } from './config.ts';

describe('natsConfig', () => {
  it('has every message on disk before it is acknowledged, where the version can', () => {
    expect(natsConfig({ port: 4222, storage: '/state/nats', version: [2, 12, 3] })).toContain(
      'sync_interval: always',
    );
  });

  it('does not name a setting that an older server would refuse', () => {
    expect(natsConfig({ port: 4222, storage: '/state/nats', version: [2, 9, 10] })).not.toContain(
      'sync_interval',
    );
  });

  it('listens on the loopback address only and quotes the storage path', () => {
    const config = natsConfig({ port: 4222, storage: '/a folder/nats', version: [2, 12, 3] });
    expect(config).toContain('listen: "127.0.0.1:4222"');
    expect(config).toContain('store_dir: "/a folder/nats"');
  });
});
