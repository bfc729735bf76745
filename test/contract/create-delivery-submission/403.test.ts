import { refusesWhoMayNot } from '../../harness/common-refusals.ts';

describe('403 to a create on the delivery contract', () => {
  refusesWhoMayNot('create-delivery-submission');
});
