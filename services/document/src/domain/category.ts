import { DocumentCategory } from '@supplier/proto/document/v1/document';

/** A category as the database spells it. */
export type CategoryName = 'bank_statements' | 'accounts' | 'id';

const CATEGORIES: Record<CategoryName, DocumentCategory> = {
  bank_statements: DocumentCategory.BANK_STATEMENTS,
  accounts: DocumentCategory.ACCOUNTS,
  id: DocumentCategory.ID,
};

/** The category of a spelling. */
export function categoryOf(name: CategoryName): DocumentCategory {
  return CATEGORIES[name];
}

/** The spelling of a category; undefined when it is unspecified or not known to this build. */
export function categoryNameOf(category: DocumentCategory): CategoryName | undefined {
  switch (category) {
    case DocumentCategory.BANK_STATEMENTS:
      return 'bank_statements';
    case DocumentCategory.ACCOUNTS:
      return 'accounts';
    case DocumentCategory.ID:
      return 'id';
    default:
      return undefined;
  }
}
