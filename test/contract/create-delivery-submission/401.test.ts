import { refusesWhoIsUnknown } from '../../harness/common-refusals.ts';

describe('401 to a create on the delivery contract', () => {
  refusesWhoIsUnknown('create-delivery-submission');
});
