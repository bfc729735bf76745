import { chartsIn, imageIn, registryFrom, repositoryIn } from './registry.ts';

it.each([
  [
    'ghcr.io/Some-Owner',
    'ghcr.io/some-owner/supplier-submissions-webhook',
    'oci://ghcr.io/some-owner/charts',
  ],
  [
    'registry.example/a/b/',
    'registry.example/a/b/supplier-submissions-webhook',
    'oci://registry.example/a/b/charts',
  ],
  ['127.0.0.1:5000', '127.0.0.1:5000/supplier-submissions-webhook', 'oci://127.0.0.1:5000/charts'],
  ['localhost', 'localhost/supplier-submissions-webhook', 'oci://localhost/charts'],
  ['registry:5000/x', 'registry:5000/x/supplier-submissions-webhook', 'oci://registry:5000/x/charts'],
])('%s has the images %s and the charts %s', (text, image, charts) => {
  const registry = registryFrom(text);
  expect(imageIn(registry, 'webhook')).toBe(image);
  expect(chartsIn(registry)).toBe(charts);
  expect(`${registry.host}/${repositoryIn(registry)}-webhook`).toBe(image);
});

it.each([
  '',
  'owner',
  'owner/name',
  'https://ghcr.io/owner',
  'ghcr.io//owner',
  'ghcr.io/owner name',
  'ghcr.io/-owner',
  'ghcr.io/owner:tag',
  'ghcr.io:port/owner',
])('"%s" is not a registry', (text) => {
  expect(() => registryFrom(text)).toThrow(`"${text}" is not a registry: use HOST[:PORT][/PATH]`);
});
