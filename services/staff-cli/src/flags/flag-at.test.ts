import { allCommands } from '../declarations/all-commands.ts';
import { flagAt } from '../run-command.ts';
import { flagsOf } from './flags-of.ts';

const create = allCommands.find(({ name }) => name === 'accounts create');

it.each([
  ['name', '--name'],
  ['terms.caps.accepted_per_day', '--accepted-per-day'],
  ['terms.billingModel', '--billing-model'],
  ['permitted_scopes[1]', '--permitted-scopes'],
  ['terms', '--billing-model, --decision-mode, --application-minting, --pre-underwriting-failure'],
  ['limits', undefined],
  ['nothing.of_the_kind', undefined],
])('the field %s has the label %s', (path, label) => {
  expect(flagAt(create ? flagsOf(create) : [], path)).toBe(label);
});
