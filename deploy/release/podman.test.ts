import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineOf, storeIn } from '../images/engine.ts';
import { findOnPath } from '../programs/on-path.mjs';
import { copyOut, pushAsOne } from './podman.ts';
import { describeWithRegistry } from './testing/local-registry.ts';

const PLATFORMS = ['linux/amd64', 'linux/arm64'];
const TYPES = 'application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json';
const BUILD_MS = 120_000;

/** Like deploy/Dockerfile: one stage on the builder's platform, one on the image's. */
const DOCKERFILE = `ARG BUILD_IMAGE
ARG BASE_IMAGE
FROM --platform=$BUILDPLATFORM \${BUILD_IMAGE} AS build
COPY sbom.cdx.json /images/small/sbom.cdx.json
FROM --platform=$TARGETPLATFORM \${BASE_IMAGE} AS runtime
WORKDIR /app
USER 65532:65532
ENTRYPOINT ["node"]
FROM runtime AS small
COPY --from=build /images/small /app
`;

// Networks and mounts require root.
const canBuild = findOnPath('podman') !== undefined && process.getuid?.() === 0;
const missing = canBuild ? undefined : 'it takes root, and podman: apt-get install -y podman';

describeWithRegistry(
  'an image of two platforms',
  (registry) => {
    let folder = '';
    let digest = '';
    const podman = (...args: string[]) =>
      execFileSync('podman', [...storeIn(folder), ...args], { stdio: 'ignore' });
    const tagOf = (platform: string) => `localhost/small:${platform.replace('/', '-')}`;

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'release-images-'));
      const context = join(folder, 'context');
      mkdirSync(context);
      writeFileSync(join(context, 'Dockerfile'), DOCKERFILE);
      writeFileSync(join(context, 'sbom.cdx.json'), '{ "bomFormat": "CycloneDX" }');
      const engine = engineOf('podman', folder);
      for (const platform of PLATFORMS) {
        // The layers differ, as in a real image.
        const [, architecture = ''] = platform.split('/');
        writeFileSync(join(folder, 'platform'), platform);
        execFileSync('tar', ['-C', folder, '-cf', join(folder, 'base.tar'), 'platform']);
        podman('import', '--arch', architecture, join(folder, 'base.tar'), `${tagOf(platform)}-base`);
      }
      const own = `${tagOf(`linux/${process.arch === 'x64' ? 'amd64' : 'arm64'}`)}-base`;
      for (const platform of PLATFORMS)
        engine.build({
          ...{ target: 'small', tag: tagOf(platform), date: 1_000_000, platform },
          args: { BUILD_IMAGE: own, BASE_IMAGE: `${tagOf(platform)}-base` },
          ...{ file: join(context, 'Dockerfile'), context },
        });
      const name = `${registry().host}/owner/small:1.0.0`;
      digest = pushAsOne(folder, PLATFORMS.map(tagOf), { name, plainHttp: true });
    }, BUILD_MS);
    afterAll(() => {
      podman('rmi', '--all', '--force');
      // Podman leaves its store mounted onto itself.
      spawnSync('umount', ['--lazy', '--recursive', join(folder, 'store', 'overlay')], { stdio: 'ignore' });
      rmSync(folder, { recursive: true, force: true });
    });

    const read = async (kind: 'manifests' | 'blobs', reference: string) => {
      const at = `http://${registry().host}/v2/owner/small/${kind}/${reference}`;
      const answer = await fetch(at, { headers: { accept: TYPES } });
      return { status: answer.status, text: await answer.text() };
    };

    it('can be pulled by the digest that the push returned, and by its tag', async () => {
      const { status, text } = await read('manifests', digest);
      expect(status).toBe(200);
      expect(`sha256:${createHash('sha256').update(text).digest('hex')}`).toBe(digest);
      expect((await read('manifests', '1.0.0')).text).toBe(text);
    });

    it('is a list of both, each an image of its platform', async () => {
      const list = JSON.parse((await read('manifests', digest)).text);
      const platforms = await Promise.all(
        list.manifests.map(async (one: { digest: string }) => {
          const image = JSON.parse((await read('manifests', one.digest)).text);
          const { os, architecture, config } = JSON.parse((await read('blobs', image.config.digest)).text);
          expect(config).toMatchObject({ User: '65532:65532', WorkingDir: '/app' });
          return `${os}/${architecture}`;
        }),
      );
      expect(platforms.sort()).toEqual(PLATFORMS);
    });

    it('contains its bill of materials on every platform', () => {
      const file = join(folder, 'sbom.cdx.json');
      for (const platform of PLATFORMS) {
        copyOut(folder, tagOf(platform), '/app/sbom.cdx.json', file);
        expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ bomFormat: 'CycloneDX' });
        rmSync(file);
      }
    });

    it('is the same when it is pushed again', () => {
      const name = `${registry().host}/owner/small:again`;
      expect(pushAsOne(folder, PLATFORMS.map(tagOf), { name, plainHttp: true })).toBe(digest);
    });

    it('is not pushed when a platform occurs twice', () => {
      const name = `${registry().host}/owner/small:twice`;
      const [tag = ''] = PLATFORMS.map(tagOf);
      expect(() => pushAsOne(folder, [tag, tag], { name, plainHttp: true })).toThrow(
        'expected one image for each platform',
      );
    });

    it('is not pushed without a registry', () => {
      const push = () =>
        pushAsOne(folder, PLATFORMS.map(tagOf), { name: '127.0.0.1:9/x:1', plainHttp: true });
      expect(push).toThrow('cannot push 127.0.0.1:9/x:1');
    });
  },
  missing,
);
