import { refusesWhoMayNot } from '../../harness/common-refusals.ts';

describe('403 to a contact correction', () => {
  refusesWhoMayNot('correct-contact');
});
