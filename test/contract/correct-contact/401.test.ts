import { refusesWhoIsUnknown } from '../../harness/common-refusals.ts';

describe('401 to a contact correction', () => {
  refusesWhoIsUnknown('correct-contact');
});
