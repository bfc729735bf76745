import { visible } from '@supplier/lib/text/visible';
import { Link } from '@tanstack/react-router';
import { UUID } from '../words.ts';

/** The id of a request, which leads to what else it has done. */
export const RequestLink = ({ id }: { readonly id: string }) =>
  UUID.test(id) ? (
    <Link to="/find" search={{ what: id }}>
      {id}
    </Link>
  ) : (
    visible(id)
  );
