import { refusesWhatIsTooLarge } from '../../harness/common-refusals.ts';

describe('413 to a create on the delivery contract', () => {
  refusesWhatIsTooLarge('create-delivery-submission');
});
