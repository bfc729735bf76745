import { exitCodes } from '../../exit-codes.ts';
import { kubeHost, kubePlace, kubeService } from './place.ts';

it('names services as the chart does', () => {
  const place = kubePlace('kind-leads/money');
  expect(kubeService(place, 'account')).toBe('leads-supplier-submissions-account');
  expect(kubeHost(place, 'account')).toBe('leads-supplier-submissions-account.money.svc');
});

it.each([
  // Releases with the chart's name in theirs, and one that is too long and gets shortened.
  ['supplier-submissions', 'supplier-submissions-billing'],
  ['my-supplier-submissions-2', 'my-supplier-submissions-2-billing'],
  ['leads-of-the-north-west', 'leads-of-the-north-west-9d293-billing'],
])('the release %s has the service %s', (release, service) => {
  expect(kubeService(kubePlace('kind/leads', release), 'billing')).toBe(service);
});

it('accepts contexts with slashes in their names', () => {
  expect(kubePlace('arn:aws:eks:eu-west-2:1:cluster/leads/money')).toMatchObject({
    context: 'arn:aws:eks:eu-west-2:1:cluster/leads',
    namespace: 'money',
  });
});

it.each([['kind'], ['/leads'], ['kind/'], ['kind/Leads'], ['kind/--all']])('refuses the place %s', (text) => {
  expect(() => kubePlace(text)).toThrow(expect.objectContaining({ exitCode: exitCodes.usage }));
});

it('refuses an invalid release name', () => {
  expect(() => kubePlace('kind/leads', '--all')).toThrow('--kube-release takes the name of a release');
});
