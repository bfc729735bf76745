import { refusesWhatIsUnreadable } from '../../harness/common-refusals.ts';

describe('400 to a create on the delivery contract', () => {
  refusesWhatIsUnreadable('create-delivery-submission');
});
