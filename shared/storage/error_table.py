"""What each error of the storage SDKs means to us: the table that `faults` decides by.

It holds plain words, since the enumerations that they come from are slow to import. A test compares them with what the
pinned SDKs know, and fails when a newer one brings an error that is not here.

The question is whose fault it is. The store's, its account's or its address's: everybody who asks is answered so, and
work must wait for it, not be burned on it. Ours: this request cannot succeed, and the next message's can.
"""

from enum import Enum


class Meaning(Enum):
    """What an error means, and so what becomes of the work that met it."""

    DOWN = "down"
    """The store cannot be used now: DependencyDown, the work is deferred."""

    MISSING = "missing"
    """The queue, table or container is not there: made, and the call repeated. Where that does not help it is DOWN."""

    EXPECTED = "expected"
    """An answer that whoever asked is ready for: there already, not there, changed since. Where nobody is, its status
    decides: a 404 is DOWN, any other is raised."""

    OURS = "ours"
    """The request is wrong: raised, delivered again, and in the end poison."""


CODES_BY_MEANING: tuple[tuple[Meaning, str], ...] = (
    # The account is not ready, or does not let us in. Somebody gives it back, or gives us the role or the key.
    (
        Meaning.DOWN,
        "AccountBeingCreated AccountIsDisabled AuthenticationFailed AuthorizationFailure "
        "InsufficientAccountPermissions InvalidAuthenticationInfo NoAuthenticationInformation "
        "UnauthorizedBlobOverwrite",
    ),
    # It is busy or broken, or what was sent did not arrive as it was sent.
    (
        Meaning.DOWN,
        "CannotVerifyCopySource InternalError Md5Mismatch NotImplemented OperationTimedOut ServerBusy "
        "SnapshotOperationRateExceeded",
    ),
    # What we write to is going, and can be made again when it is gone, or an administrator has closed it.
    (
        Meaning.DOWN,
        "ContainerBeingDeleted ContainerDisabled QueueBeingDeleted QueueDisabled TableBeingDeleted",
    ),
    # Somebody else holds the blob (a lease, a copy, a policy, the archive) and may let go of it.
    (
        Meaning.DOWN,
        "BlobArchived BlobBeingRehydrated BlobImmutableDueToLegalHold BlobImmutableDueToPolicy LeaseIdMissing "
        "PendingCopyOperation SystemInUse",
    ),
    # An older store or emulator that does not know the SDK's version (of all our headers, x-ms-version alone can be
    # wrong: https://github.com/Azure/Azurite/issues/2678), or another kind of store at the address.
    (
        Meaning.DOWN,
        "InvalidHeaderValue InvalidHttpVerb JsonFormatNotSupported MethodNotAllowed UnsupportedHeader "
        "UnsupportedHttpVerb UnsupportedQueryParameter UnsupportedRestVersion UnsupportedXmlNode",
    ),
    # Words of Azure Files and Data Lake Storage, which are never called: the address is that of something else.
    (
        Meaning.DOWN,
        "CannotDeleteFileOrDirectory ClientCacheFlushDelay ContainerQuotaDowngradeNotAllowed ContentLengthMustBeZero "
        "DeletePending DestinationPathIsBeingDeleted DirectoryNotEmpty FileLockConflict "
        "FileShareProvisionedBandwidthDowngradeNotAllowed FileShareProvisionedBandwidthInvalid "
        "FileShareProvisionedIopsDowngradeNotAllowed FileShareProvisionedIopsInvalid "
        "FileShareProvisionedStorageInvalid FilesystemAlreadyExists FilesystemBeingDeleted FilesystemNotFound "
        "InvalidDestinationPath InvalidFileOrDirectoryPathName InvalidFlushPosition InvalidPropertyName "
        "InvalidRenameSourcePath InvalidSourceOrDestinationResourceType InvalidSourceUri LeaseIsAlreadyBroken "
        "LeaseNameMismatch ParentNotFound PathAlreadyExists PathConflict PathNotFound ReadOnlyAttribute "
        "RenameDestinationParentPathNotFound ShareAlreadyExists ShareBeingDeleted ShareDisabled ShareHasSnapshots "
        "ShareNotFound ShareSnapshotCountExceeded ShareSnapshotInProgress ShareSnapshotNotFound "
        "ShareSnapshotOperationNotSupported SharingViolation SourcePathIsBeingDeleted SourcePathNotFound "
        "TotalSharesCountExceedsAccountLimit TotalSharesProvisionedBandwidthExceedsAccountLimit "
        "TotalSharesProvisionedCapacityExceedsAccountLimit TotalSharesProvisionedIopsExceedsAccountLimit",
    ),
    (
        Meaning.MISSING,
        "ContainerNotFound QueueNotFound TableNotFound",
    ),
    # There already; not there; changed since it was read, or taken by somebody else.
    (
        Meaning.EXPECTED,
        "BlobAlreadyExists ContainerAlreadyExists EntityAlreadyExists QueueAlreadyExists ResourceAlreadyExists "
        "TableAlreadyExists",
    ),
    (
        Meaning.EXPECTED,
        "BlobNotFound EntityNotFound MessageNotFound ResourceNotFound",
    ),
    (
        Meaning.EXPECTED,
        "ConditionNotMet PopReceiptMismatch UpdateConditionNotSatisfied",
    ),
    # What was asked of any service is malformed, too large or out of its limits.
    (
        Meaning.OURS,
        "AccountAlreadyExists ConditionHeadersNotSupported EmptyMetadataKey HostInformationNotPresent InvalidInput "
        "InvalidMd5 InvalidMetadata InvalidQueryParameterValue InvalidRange InvalidResourceName InvalidUri "
        "InvalidXmlDocument InvalidXmlNodeValue MetadataTooLarge MissingContentLengthHeader MissingRequiredHeader "
        "MissingRequiredQueryParameter MissingRequiredXmlNode MultipleConditionHeadersNotSupported OutOfRangeInput "
        "OutOfRangeQueryParameterValue RequestBodyTooLarge RequestUrlFailedToParse ResourceTypeMismatch",
    ),
    # Of the queue service, and of the table service.
    (
        Meaning.OURS,
        "InvalidMarker MessageTooLarge QueueNotEmpty",
    ),
    (
        Meaning.OURS,
        "DuplicatePropertiesSpecified EntityTooLarge InvalidDuplicateRow InvalidValueType PropertiesNeedValue "
        "PropertyNameInvalid PropertyNameTooLong PropertyValueTooLarge TooManyProperties XMethodIncorrectCount "
        "XMethodIncorrectValue XMethodNotUsingPost",
    ),
    # Of the blob service: blocks, and operations that are never asked for (leases, copies, snapshots, tiers, pages).
    (
        Meaning.OURS,
        "AppendPositionConditionNotMet BlobAccessTierNotSupportedForAccountType BlobNotArchived BlobOverwritten "
        "BlobTierInadequateForContentLength BlockCountExceedsLimit BlockListTooLong CannotChangeToLowerTier "
        "ContentLengthLargerThanTierLimit CopyAcrossAccountsNotSupported CopyIdMismatch FeatureVersionMismatch "
        "IncrementalCopyBlobMismatch IncrementalCopyOfEarlierSnapshotNotAllowed "
        "IncrementalCopyOfEarlierVersionSnapshotNotAllowed IncrementalCopySourceMustBeSnapshot "
        "InfiniteLeaseDurationRequired InvalidBlobOrBlock InvalidBlobTier InvalidBlobType InvalidBlockId "
        "InvalidBlockList InvalidOperation InvalidPageRange InvalidSourceBlobType InvalidSourceBlobUrl "
        "InvalidVersionForPageBlobOperation LeaseAlreadyBroken LeaseAlreadyPresent LeaseIdMismatchWithBlobOperation "
        "LeaseIdMismatchWithContainerOperation LeaseIdMismatchWithLeaseOperation LeaseIsBreakingAndCannotBeAcquired "
        "LeaseIsBreakingAndCannotBeChanged LeaseIsBrokenAndCannotBeRenewed LeaseLost "
        "LeaseNotPresentWithBlobOperation LeaseNotPresentWithContainerOperation LeaseNotPresentWithLeaseOperation "
        "MaxBlobSizeConditionNotMet NoPendingCopyOperation OperationNotAllowedOnIncrementalCopyBlob "
        "PreviousSnapshotCannotBeNewer PreviousSnapshotNotFound PreviousSnapshotOperationNotSupported "
        "SequenceNumberConditionNotMet SequenceNumberIncrementTooLarge SnapshotCountExceeded SnapshotsPresent "
        "SourceConditionNotMet TargetConditionNotMet",
    ),
)

CODES = {code: meaning for meaning, codes in CODES_BY_MEANING for code in codes.split()}
"""What the service's own code means. It is asked first."""

DOWN_STATUSES = frozenset({*range(304), *range(305, 400), 401, 403, 404, 407, 408, 429, *range(500, 1000)})
"""Statuses that mean DOWN where no code decides. 0 is no status at all; an error with a good one is an answer that was
cut, or is none of storage's (a proxy's page)."""

CLASSES = {
    # No answer, or none that storage gives.
    "TimeoutError": Meaning.DOWN,
    "AzureError": Meaning.DOWN,  # as such: tries used up, or a checksum that does not fit
    "ServiceRequestError": Meaning.DOWN,
    "ServiceRequestTimeoutError": Meaning.DOWN,
    "ServiceResponseError": Meaning.DOWN,
    "ServiceResponseTimeoutError": Meaning.DOWN,
    "DecodeError": Meaning.DOWN,
    "IncompleteReadError": Meaning.DOWN,
    "DeserializationError": Meaning.DOWN,
    "TooManyRedirectsError": Meaning.DOWN,
    "ResourceNotFoundError": Meaning.DOWN,
    "PartialBatchErrorException": Meaning.DOWN,  # parts of it were done: repeated, it does the others
    # No sign-in.
    "ClientAuthenticationError": Meaning.DOWN,
    "CredentialUnavailableError": Meaning.DOWN,
    "AuthenticationRequiredError": Meaning.DOWN,
    # What the status of a refusal alone can say.
    "ResourceExistsError": Meaning.EXPECTED,
    "ResourceModifiedError": Meaning.EXPECTED,
    "ResourceNotModifiedError": Meaning.EXPECTED,
    # Any other refusal, and wrong uses of the SDK.
    "HttpResponseError": Meaning.OURS,
    "ODataV4Error": Meaning.OURS,
    "TableTransactionError": Meaning.OURS,
    "RequestTooLargeError": Meaning.OURS,
    "SerializationError": Meaning.OURS,
    "StreamConsumedError": Meaning.OURS,
    "StreamClosedError": Meaning.OURS,
    "ResponseNotReadError": Meaning.OURS,
}
"""What the kind of an error means where neither code nor status decides, by its class or the nearest one above it."""
