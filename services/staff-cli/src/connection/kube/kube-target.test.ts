import { exitCodes } from '../../exit-codes.ts';
import { kubeHost, kubeService, parseKubeTarget } from './kube-target.ts';

it('kubeService names services as the chart does', () => {
  const target = parseKubeTarget('kind-leads/money');
  expect(kubeService(target, 'account')).toBe('leads-supplier-submissions-account');
  expect(kubeHost(target, 'account')).toBe('leads-supplier-submissions-account.money.svc');
});

it.each([
  // Releases with the chart's name in theirs, and one that is too long and gets shortened.
  ['supplier-submissions', 'supplier-submissions-billing'],
  ['my-supplier-submissions-2', 'my-supplier-submissions-2-billing'],
  ['leads-of-the-north-west', 'leads-of-the-north-west-9d293-billing'],
])('the release %s has the service %s', (release, service) => {
  expect(kubeService(parseKubeTarget('kind/leads', release), 'billing')).toBe(service);
});

it('parseKubeTarget accepts contexts with slashes in their names', () => {
  expect(parseKubeTarget('arn:aws:eks:eu-west-2:1:cluster/leads/money')).toMatchObject({
    context: 'arn:aws:eks:eu-west-2:1:cluster/leads',
    namespace: 'money',
  });
});

it.each([['kind'], ['/leads'], ['kind/'], ['kind/Leads'], ['kind/--all']])(
  'parseKubeTarget refuses %s',
  (text) => {
    expect(() => parseKubeTarget(text)).toThrow(expect.objectContaining({ exitCode: exitCodes.usage }));
  },
);

it('parseKubeTarget refuses an invalid release name', () => {
  expect(() => parseKubeTarget('kind/leads', '--all')).toThrow(
    '--kube-release must be the name of a Helm release',
  );
});
