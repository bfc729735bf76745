import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1';
import { EVERYTHING, KIND, PRODUCTION, WITH_CONSOLE, withValues } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import { type KubernetesObject, ofKind, podsIn } from './objects.ts';

const NO_SECRETS = ['ingress.sandbox.tlsSecret=""', 'ingress.production.tlsSecret=""'];
const AT_LOAD_BALANCER = ['ingress.tlsEndsAt="loadBalancer"', ...NO_SECRETS];
const RPC = 'rpcRoutes.hosts={"account":"account.rpc.example"}';
const shortName = ({ metadata }: KubernetesObject) =>
  metadata.name.replace('leads-supplier-submissions-', '');
const ingressesIn = (objects: readonly KubernetesObject[]) =>
  ofKind(objects, 'Ingress') as unknown as (IIngress & KubernetesObject)[];

describeWithHelm('addresses', 4, (helm) => {
  const render = (...set: string[]) => helm.render(withValues(PRODUCTION, ...set));
  const refusal = async (...set: string[]) => {
    const { ok, output } = await helm.template(withValues(PRODUCTION, ...set));
    return ok ? 'rendered' : output;
  };

  it('terminate TLS at the Ingress with the secret of their environment', async () => {
    const ingresses = ingressesIn(await render());
    expect(ingresses.map(({ spec }) => spec?.tls)).toEqual(
      ingresses.map(({ metadata, spec }) => [
        {
          hosts: [spec?.rules?.[0]?.host],
          secretName: `${/sandbox|production/.exec(metadata.name)?.[0]}-tls`,
        },
      ]),
    );
    expect(ingresses).toHaveLength(4);
  });

  it('name no secret if TLS terminates at a load balancer', async () => {
    const ingresses = ingressesIn(await render(...AT_LOAD_BALANCER));
    expect(ingresses).toHaveLength(4);
    for (const { spec } of ingresses) expect(spec?.tls).toBeUndefined();
  });

  it.each([
    ['no secret at the Ingress', NO_SECRETS, 'ingress.production.tlsSecret: a Secret'],
    [
      'a secret for a load balancer',
      ['ingress.tlsEndsAt="loadBalancer"'],
      'ingress.sandbox.tlsSecret: empty while',
    ],
    ['TLS that ends nowhere', ['ingress.tlsEndsAt="nowhere"'], '/ingress/tlsEndsAt'],
    ['a missing host', ['ingress.sandbox.apiHost=""'], 'ingress.sandbox.apiHost: the host name'],
  ])('reject %s', async (_, set, says) => {
    expect(await refusal(...set)).toContain(says);
  });

  it('merge common, environment and own annotations, the most specific winning', async () => {
    const ingresses = ingressesIn(
      await helm.render(
        withValues(
          WITH_CONSOLE,
          'ingress.annotations={"a.example/x":"all","a.example/y":"all","a.example/z":"all"}',
          'ingress.production.annotations={"a.example/y":"production","a.example/z":"production"}',
          'ingress.production.apiAnnotations={"a.example/z":"api"}',
          'ingress.sandbox.pagesAnnotations={"a.example/z":"pages"}',
          'ingress.console={"host":"console.leads.example","tlsSecret":"x","annotations":{"a.example/z":"console"}}',
        ),
      ),
    );
    const annotated = ingresses.map((ingress) => [
      shortName(ingress),
      ...['x', 'y', 'z'].map((key) => ingress.metadata.annotations?.[`a.example/${key}`]),
    ]);
    expect(annotated.sort()).toEqual([
      ['console', 'all', 'all', 'console'],
      ['gateway-production-api', 'all', 'production', 'api'],
      ['gateway-production-pages', 'all', 'production', 'production'],
      ['gateway-sandbox-api', 'all', 'all', 'all'],
      ['gateway-sandbox-pages', 'all', 'all', 'pages'],
    ]);
  });

  it('give the console its own host, class, Gateway and certificate, or no route', async () => {
    const objects = await helm.render(EVERYTHING);
    const [ingress] = ingressesIn(objects).filter((one) => shortName(one) === 'console');
    expect(ingress?.spec).toMatchObject({
      ingressClassName: 'internal',
      tls: [{ hosts: ['console.leads.example'], secretName: 'console-tls' }],
    });
    const routes = ofKind(objects, 'HTTPRoute').map((one) => [
      shortName(one),
      (one.spec as { parentRefs: { name: string }[] }).parentRefs.map(({ name }) => name),
    ]);
    expect(Object.fromEntries(routes)).toMatchObject({
      console: ['internal'],
      'gateway-sandbox-api': ['public'],
    });
    const without = ingressesIn(await helm.render(WITH_CONSOLE)).map(shortName);
    expect(without.filter((name) => name === 'console')).toEqual([]);
    const likeThePublic = await helm.render(
      withValues(WITH_CONSOLE, 'ingress.console={"host":"console.leads.example","tlsSecret":"a"}'),
    );
    const classes = ingressesIn(likeThePublic).map(({ spec }) => spec?.ingressClassName);
    expect(new Set(classes)).toEqual(new Set(['nginx']));
  });

  it('pass RPC TLS through to the service, whose certificate contains the name', async () => {
    const objects = await helm.render(EVERYTHING);
    const routes = ofKind(objects, 'TLSRoute');
    expect(routes.map(({ apiVersion, spec }) => ({ apiVersion, ...(spec as object) }))).toEqual(
      ['account', 'billing'].map((service) => ({
        apiVersion: 'gateway.networking.k8s.io/v1',
        parentRefs: [{ name: 'internal', namespace: 'edge' }],
        hostnames: [`${service}.rpc.example`],
        rules: [{ backendRefs: [{ name: `leads-supplier-submissions-${service}`, port: 8443 }] }],
      })),
    );
    const passing = ingressesIn(objects).filter(({ metadata }) => metadata.name.endsWith('-rpc'));
    expect(passing.map(({ spec }) => spec?.tls)).toEqual([
      [{ hosts: ['account.rpc.example'] }],
      [{ hosts: ['billing.rpc.example'] }],
    ]);
    const named = ofKind(objects, 'Certificate').flatMap(({ spec }) =>
      (spec as { dnsNames: string[] }).dnsNames.filter((name) => name.endsWith('.rpc.example')),
    );
    expect(named.sort()).toEqual(['account.rpc.example', 'billing.rpc.example']);
    const services = ofKind(objects, 'Service').map(({ metadata }) => metadata.name);
    for (const { metadata } of routes) expect(services).toContain(metadata.name);
    expect(podsIn(objects).length).toBeGreaterThan(0);
  });

  it('add RPC names to certificates without a route, for a route of your own', async () => {
    const objects = await render(RPC);
    expect([ofKind(objects, 'TLSRoute'), ofKind(objects, 'Ingress').length]).toEqual([[], 4]);
    expect(JSON.stringify(ofKind(objects, 'Certificate'))).toContain('"account.rpc.example"');
  });

  it.each([
    ['a route without hosts', ['rpcRoutes.ingress.enabled=true'], 'rpcRoutes.hosts: '],
    [
      'a route without its Gateway',
      [RPC, 'rpcRoutes.tlsRoute.enabled=true'],
      'rpcRoutes.tlsRoute.parentRefs: ',
    ],
    [
      'an Ingress that would end TLS',
      [RPC, 'rpcRoutes.ingress.enabled=true'],
      'rpcRoutes.ingress.annotations: ',
    ],
    [
      'a route that no policy permits',
      [
        RPC,
        'rpcRoutes.tlsRoute={"enabled":true,"parentRefs":[{"name":"x"}]}',
        'networkPolicies.from.staff=[]',
      ],
      'networkPolicies.from.staff: ',
    ],
    [
      'a host for a process without RPC',
      ['rpcRoutes.hosts={"scanner":"scanner.example"}'],
      "'scanner' not allowed",
    ],
  ])('reject for RPC %s', async (_, set, says) => {
    expect(await refusal(...set)).toContain(says);
  });

  it('reject RPC routes with throw-away stores, whose certificates lack the names', async () => {
    const { ok, output } = await helm.template(
      withValues(
        KIND,
        RPC,
        'rpcRoutes.tlsRoute={"enabled":true,"parentRefs":[{"name":"x"}]}',
        'networkPolicies.from.staff=[{"podSelector":{}}]',
      ),
    );
    expect({ ok, output }).toEqual({ ok: false, output: expect.stringContaining('rpcRoutes: off where') });
  });
});
