import { registrySettings } from './registry-settings.ts';

const FILE = import.meta.filename;

it('the settings of a registry are kept with the files that they name, without folders and other variables', () => {
  const env = {
    npm_config_registry: 'https://packages.example/',
    npm_config_cache: import.meta.dirname,
    HTTPS_PROXY: 'http://proxy.example:3128',
    no_proxy: 'localhost',
    PIP_INDEX_URL: 'https://packages.example/simple',
    NODE_EXTRA_CA_CERTS: FILE,
    SSL_CERT_FILE: '/nowhere/ca.pem',
    CI: 'true',
    HOME: '/root',
  };
  const npmrc = `//packages.example/:_authToken=secret\ncafile = ${FILE}\nnodedir=/usr\nfund=false`;
  expect(registrySettings(env, npmrc)).toEqual({
    env: {
      npm_config_registry: 'https://packages.example/',
      HTTPS_PROXY: 'http://proxy.example:3128',
      no_proxy: 'localhost',
      PIP_INDEX_URL: 'https://packages.example/simple',
      NODE_EXTRA_CA_CERTS: FILE,
    },
    npmrc: `//packages.example/:_authToken=secret\ncafile = ${FILE}\nfund=false`,
    files: [FILE],
  });
});
