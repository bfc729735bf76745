// Generates JavaScript and types from our protos, and from the gRPC protos that every service also serves.
// The gRPC protos come from inside their npm packages, so that generating needs no network.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeComments } from './generate-comments.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const bin = (name) => join(here, 'node_modules', '.bin', name);
const run = (args, cwd) =>
  execFileSync(bin('buf'), args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(here, 'node_modules', '.bin')}:${process.env.PATH}` },
  });

run(['generate'], here);
writeComments(
  join(here, 'gen'),
  execFileSync(bin('buf'), ['build', '--output', '-#format=json'], {
    cwd: here,
    maxBuffer: 64 * 1024 * 1024,
  }),
);

const staging = mkdtempSync(join(tmpdir(), 'grpc-protos-'));
try {
  const packageDir = (name) => dirname(require.resolve(`${name}/package.json`));
  mkdirSync(join(staging, 'grpc'));
  cpSync(
    join(packageDir('grpc-health-check'), 'proto/health/v1/health.proto'),
    join(staging, 'grpc/health.proto'),
  );
  cpSync(
    join(packageDir('@grpc/reflection'), 'build/proto/grpc/reflection/v1/reflection.proto'),
    join(staging, 'grpc/reflection.proto'),
  );
  // The same under its former name, which tools in use still ask for.
  cpSync(
    join(packageDir('@grpc/reflection'), 'build/proto/grpc/reflection/v1alpha/reflection.proto'),
    join(staging, 'grpc/reflection_v1alpha.proto'),
  );
  const template = JSON.stringify({
    version: 'v2',
    plugins: [
      { local: 'protoc-gen-es', out: join(here, 'gen'), opt: ['target=js+dts', 'import_extension=js'] },
    ],
  });
  run(['generate', staging, '--template', template], here);
} finally {
  rmSync(staging, { recursive: true, force: true });
}
