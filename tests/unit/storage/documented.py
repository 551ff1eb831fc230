"""With which HTTP status the services answer each of their codes.

From https://learn.microsoft.com/rest/api/storageservices/: common-rest-api-error-codes, queue-service-error-codes,
table-service-error-codes, blob-service-error-codes, file-service-error-codes, and the list of the operations of Data
Lake Storage Gen2. A code that comes with several statuses stands under each. Azure Files' limits on provisioning have
no status there; a 409 stands in.
"""

_CODES = {
    304: "ConditionNotMet",
    400: """
        BlobAccessTierNotSupportedForAccountType BlockListTooLong ConditionHeadersNotSupported ContentLengthMustBeZero
        CopyAcrossAccountsNotSupported DuplicatePropertiesSpecified EmptyMetadataKey EntityTooLarge
        FileShareProvisionedBandwidthInvalid FileShareProvisionedIopsInvalid FileShareProvisionedStorageInvalid
        HostInformationNotPresent InvalidAuthenticationInfo InvalidBlobOrBlock InvalidBlobTier InvalidBlockId
        InvalidBlockList InvalidDuplicateRow InvalidFileOrDirectoryPathName InvalidFlushPosition InvalidHeaderValue
        InvalidHttpVerb InvalidInput InvalidMarker InvalidMd5 InvalidMetadata InvalidOperation InvalidPropertyName
        InvalidQueryParameterValue InvalidResourceName InvalidSourceUri InvalidUri InvalidValueType InvalidXmlDocument
        InvalidXmlNodeValue Md5Mismatch MessageTooLarge MetadataTooLarge MissingRequiredHeader
        MissingRequiredQueryParameter MissingRequiredXmlNode MultipleConditionHeadersNotSupported OutOfRangeInput
        OutOfRangeQueryParameterValue PopReceiptMismatch PreviousSnapshotCannotBeNewer PropertiesNeedValue
        PropertyNameInvalid PropertyNameTooLong PropertyValueTooLarge RequestUrlFailedToParse
        ShareSnapshotOperationNotSupported TooManyProperties UnsupportedHeader UnsupportedQueryParameter
        UnsupportedRestVersion UnsupportedXmlNode XMethodIncorrectCount XMethodIncorrectValue XMethodNotUsingPost
        """,
    401: "InvalidAuthenticationInfo NoAuthenticationInformation",
    403: """
        AccountIsDisabled AuthenticationFailed AuthorizationFailure InsufficientAccountPermissions
        UnauthorizedBlobOverwrite
        """,
    404: """
        BlobNotFound ContainerNotFound EntityNotFound FilesystemNotFound MessageNotFound ParentNotFound PathNotFound
        QueueNotFound RenameDestinationParentPathNotFound ResourceNotFound ShareNotFound ShareSnapshotNotFound
        SourcePathNotFound TableNotFound
        """,
    405: "MethodNotAllowed UnsupportedHttpVerb",
    409: """
        AccountAlreadyExists AccountBeingCreated BlobAlreadyExists BlobArchived BlobBeingRehydrated
        BlobImmutableDueToLegalHold BlobImmutableDueToPolicy BlobNotArchived BlobOverwritten
        BlobTierInadequateForContentLength BlockCountExceedsLimit CannotChangeToLowerTier CannotDeleteFileOrDirectory
        ContainerAlreadyExists ContainerBeingDeleted ContainerDisabled ContainerQuotaDowngradeNotAllowed
        ContentLengthLargerThanTierLimit CopyIdMismatch DeletePending DestinationPathIsBeingDeleted DirectoryNotEmpty
        EntityAlreadyExists FeatureVersionMismatch FileLockConflict FileShareProvisionedBandwidthDowngradeNotAllowed
        FileShareProvisionedIopsDowngradeNotAllowed FilesystemAlreadyExists FilesystemBeingDeleted
        IncrementalCopyBlobMismatch IncrementalCopyOfEarlierSnapshotNotAllowed
        IncrementalCopyOfEarlierVersionSnapshotNotAllowed IncrementalCopySourceMustBeSnapshot InvalidBlobType
        InvalidDestinationPath InvalidRenameSourcePath InvalidSourceBlobType InvalidSourceBlobUrl
        InvalidSourceOrDestinationResourceType InvalidVersionForPageBlobOperation LeaseAlreadyBroken
        LeaseAlreadyPresent LeaseIdMismatchWithLeaseOperation LeaseIsAlreadyBroken LeaseIsBreakingAndCannotBeAcquired
        LeaseIsBreakingAndCannotBeChanged LeaseIsBrokenAndCannotBeRenewed LeaseNameMismatch
        LeaseNotPresentWithLeaseOperation NoPendingCopyOperation OperationNotAllowedOnIncrementalCopyBlob
        PathAlreadyExists PathConflict PendingCopyOperation PreviousSnapshotNotFound
        PreviousSnapshotOperationNotSupported QueueAlreadyExists QueueBeingDeleted QueueDisabled QueueNotEmpty
        ReadOnlyAttribute ResourceAlreadyExists ResourceTypeMismatch SequenceNumberIncrementTooLarge
        ShareAlreadyExists ShareBeingDeleted ShareDisabled ShareHasSnapshots ShareSnapshotCountExceeded
        ShareSnapshotInProgress SharingViolation SnapshotCountExceeded SnapshotOperationRateExceeded SnapshotsPresent
        SourcePathIsBeingDeleted SystemInUse TableAlreadyExists TableBeingDeleted
        TotalSharesCountExceedsAccountLimit TotalSharesProvisionedBandwidthExceedsAccountLimit
        TotalSharesProvisionedCapacityExceedsAccountLimit TotalSharesProvisionedIopsExceedsAccountLimit
        """,
    411: "MissingContentLengthHeader",
    412: """
        AppendPositionConditionNotMet ConditionNotMet InfiniteLeaseDurationRequired LeaseIdMismatchWithBlobOperation
        LeaseIdMismatchWithContainerOperation LeaseIdMissing LeaseLost LeaseNotPresentWithBlobOperation
        LeaseNotPresentWithContainerOperation MaxBlobSizeConditionNotMet SequenceNumberConditionNotMet
        SourceConditionNotMet TargetConditionNotMet UpdateConditionNotSatisfied
        """,
    413: "RequestBodyTooLarge",
    415: "JsonFormatNotSupported",
    416: "InvalidPageRange InvalidRange",
    500: "CannotVerifyCopySource ClientCacheFlushDelay InternalError OperationTimedOut",
    501: "NotImplemented",
    503: "ServerBusy",
}

DOCUMENTED = tuple((status, code) for status, codes in _CODES.items() for code in codes.split())
