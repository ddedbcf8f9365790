# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the names of CUDA's runtime and libraries become in HIP: the tables of dev_tools/cuda2hip.

A name of one of the vendor's families that is in no table is refused: it is not known whether HIP has it with the same meaning.
"""

import re

# cudaX becomes hipX.
_RUNTIME = """
    DeviceGetAttribute DeviceGetByPCIBusId DeviceGetCacheConfig DeviceGetDefaultMemPool DeviceGetLimit DeviceGetMemPool
    DeviceGetPCIBusId DeviceGetStreamPriorityRange DeviceReset DeviceSetCacheConfig DeviceSetMemPool
    DeviceSynchronize DeviceCanAccessPeer DeviceDisablePeerAccess DeviceEnablePeerAccess DriverGetVersion RuntimeGetVersion
    ChooseDevice GetDevice GetDeviceCount GetDeviceFlags GetDeviceProperties SetDevice SetDeviceFlags DeviceScheduleAuto
    DeviceScheduleBlockingSync DeviceScheduleMask DeviceScheduleSpin DeviceScheduleYield
    Error_t GetErrorName GetErrorString GetLastError PeekAtLastError Success
    ErrorContextIsDestroyed ErrorFileNotFound ErrorHostMemoryAlreadyRegistered ErrorHostMemoryNotRegistered ErrorIllegalState
    ErrorInsufficientDriver ErrorInvalidConfiguration ErrorInvalidDevice ErrorInvalidDeviceFunction ErrorInvalidMemcpyDirection
    ErrorInvalidPitchValue ErrorInvalidSource ErrorInvalidSymbol ErrorInvalidValue ErrorLaunchFailure ErrorLaunchOutOfResources
    ErrorMissingConfiguration ErrorNoDevice ErrorNotReady ErrorNotSupported ErrorOperatingSystem ErrorPeerAccessAlreadyEnabled
    ErrorPeerAccessNotEnabled ErrorPriorLaunchFailure ErrorSetOnActiveProcess ErrorSharedObjectInitFailed
    ErrorSharedObjectSymbolNotFound ErrorUnknown ErrorUnsupportedLimit
    Event_t EventBlockingSync EventCreate EventCreateWithFlags EventDefault EventDestroy EventDisableTiming EventElapsedTime
    EventInterprocess EventQuery EventRecord EventSynchronize
    Stream_t StreamAddCallback StreamAttachMemAsync StreamCreate StreamCreateWithFlags StreamCreateWithPriority StreamDefault
    StreamDestroy StreamGetFlags StreamGetPriority StreamNonBlocking StreamPerThread StreamQuery StreamSynchronize
    StreamWaitEvent
    Free FreeAsync Malloc MallocAsync MallocFromPoolAsync MallocManaged MallocPitch HostGetDevicePointer HostGetFlags
    HostRegister HostRegisterDefault HostRegisterIoMemory HostRegisterMapped HostRegisterPortable HostUnregister
    Memcpy MemcpyAsync Memcpy2D Memcpy2DAsync MemcpyPeer MemcpyPeerAsync MemcpyKind MemcpyDefault MemcpyDeviceToDevice
    MemcpyDeviceToHost MemcpyHostToDevice MemcpyHostToHost MemcpyFromSymbol MemcpyFromSymbolAsync MemcpyToSymbol
    MemcpyToSymbolAsync GetSymbolAddress GetSymbolSize Memset MemsetAsync Memset2D Memset2DAsync MemGetInfo MemAdvise
    MemAdviseSetAccessedBy MemAdviseSetPreferredLocation MemAdviseSetReadMostly MemAdviseUnsetAccessedBy
    MemAdviseUnsetPreferredLocation MemAdviseUnsetReadMostly MemAttachGlobal MemAttachHost MemAttachSingle MemPrefetchAsync
    MemAccessDesc MemAccessFlagsProtNone MemAccessFlagsProtRead MemAccessFlagsProtReadWrite MemAllocationTypePinned
    MemHandleTypeNone MemLocationTypeDevice MemPool_t MemPoolAttr MemPoolAttrReleaseThreshold MemPoolAttrReservedMemCurrent
    MemPoolAttrReservedMemHigh MemPoolAttrUsedMemCurrent MemPoolAttrUsedMemHigh MemPoolCreate MemPoolDestroy MemPoolGetAccess
    MemPoolGetAttribute MemPoolProps MemPoolReuseAllowInternalDependencies MemPoolReuseAllowOpportunistic
    MemPoolReuseFollowEventDependencies MemPoolSetAccess MemPoolSetAttribute MemPoolTrimTo
    PointerGetAttributes CpuDeviceId InvalidDeviceId LimitMallocHeapSize LimitPrintfFifoSize
    FuncAttribute FuncAttributeMaxDynamicSharedMemorySize FuncAttributePreferredSharedMemoryCarveout FuncAttributes
    FuncCachePreferEqual FuncCachePreferL1 FuncCachePreferNone FuncCachePreferShared FuncGetAttributes FuncSetAttribute
    FuncSetCacheConfig LaunchKernel OccupancyMaxActiveBlocksPerMultiprocessor
    OccupancyMaxActiveBlocksPerMultiprocessorWithFlags OccupancyMaxPotentialBlockSize OccupancyDefault
    SharedMemBankSizeDefault SharedMemBankSizeEightByte SharedMemBankSizeFourByte UUID_t
"""

# cusparseX becomes hipsparseX, CUSPARSE_X becomes HIPSPARSE_X.
_SPARSE = """
    Create Destroy Handle_t GetVersion GetStream SetStream GetPointerMode SetPointerMode Status_t
    Operation_t Order_t PointerMode_t IndexBase_t IndexType_t DiagType_t FillMode_t Format_t MatrixType_t Direction_t Action_t
    CreateMatDescr DestroyMatDescr MatDescr_t SetMatDiagType SetMatFillMode SetMatIndexBase SetMatType GetMatDiagType
    GetMatFillMode GetMatIndexBase GetMatType
    CreateCoo CreateCsc CreateCsr CreateDnMat CreateDnVec CreateSpVec DestroyDnMat DestroyDnVec DestroySpMat DestroySpVec
    DnMatDescr_t DnMatGet DnMatGetValues DnMatSetValues DnMatSetStridedBatch DnVecDescr_t DnVecGet DnVecGetValues
    DnVecSetValues SpMatDescr_t SpMatGetFormat SpMatGetIndexBase SpMatGetSize SpMatGetValues SpMatSetValues
    SpMatGetAttribute SpMatSetAttribute SpMatAttribute_t SpVecDescr_t SpVecGet SpVecGetValues SpVecSetValues CooGet CsrGet
    CooSetPointers CscSetPointers CsrSetPointers
    SpMV SpMV_bufferSize SpMVAlg_t SpMM SpMM_bufferSize SpMM_preprocess SpMMAlg_t SpVV SpVV_bufferSize Axpby Gather Scatter Rot
    SDDMM SDDMM_bufferSize SDDMM_preprocess SDDMMAlg_t SparseToDense SparseToDense_bufferSize SparseToDenseAlg_t
    DenseToSparse_analysis DenseToSparse_bufferSize DenseToSparse_convert DenseToSparseAlg_t
    SpGEMM_compute SpGEMM_copy SpGEMM_createDescr SpGEMM_destroyDescr SpGEMM_workEstimation SpGEMMAlg_t SpGEMMDescr_t
    SpGEMMreuse_compute SpGEMMreuse_copy SpGEMMreuse_nnz SpGEMMreuse_workEstimation
    SpSV_analysis SpSV_bufferSize SpSV_createDescr SpSV_destroyDescr SpSV_solve SpSVAlg_t SpSVDescr_t
    SpSM_analysis SpSM_bufferSize SpSM_createDescr SpSM_destroyDescr SpSM_solve SpSMAlg_t SpSMDescr_t
    CreateIdentityPermutation Xcoo2csr Xcsr2coo
"""
_SPARSE_CONSTANTS = """
    ACTION_NUMERIC ACTION_SYMBOLIC DENSETOSPARSE_ALG_DEFAULT DIAG_TYPE_NON_UNIT DIAG_TYPE_UNIT DIRECTION_COLUMN DIRECTION_ROW
    FILL_MODE_LOWER FILL_MODE_UPPER FORMAT_COO FORMAT_CSC FORMAT_CSR INDEX_16U INDEX_32I INDEX_64I INDEX_BASE_ONE
    INDEX_BASE_ZERO MATRIX_TYPE_GENERAL MATRIX_TYPE_HERMITIAN MATRIX_TYPE_SYMMETRIC MATRIX_TYPE_TRIANGULAR
    OPERATION_CONJUGATE_TRANSPOSE OPERATION_NON_TRANSPOSE OPERATION_TRANSPOSE ORDER_ROW POINTER_MODE_DEVICE POINTER_MODE_HOST
    SDDMM_ALG_DEFAULT SOLVE_POLICY_NO_LEVEL SOLVE_POLICY_USE_LEVEL SPARSETODENSE_ALG_DEFAULT SPGEMM_DEFAULT SPMAT_DIAG_TYPE
    SPMAT_FILL_MODE SPMM_ALG_DEFAULT SPMM_COO_ALG1 SPMM_COO_ALG2 SPMM_CSR_ALG1 SPMM_CSR_ALG2 SPMM_CSR_ALG3 SPMV_ALG_DEFAULT
    SPMV_COO_ALG1 SPMV_COO_ALG2 SPMV_CSR_ALG1 SPMV_CSR_ALG2 SPSM_ALG_DEFAULT SPSV_ALG_DEFAULT STATUS_ALLOC_FAILED
    STATUS_ARCH_MISMATCH STATUS_EXECUTION_FAILED STATUS_INSUFFICIENT_RESOURCES STATUS_INTERNAL_ERROR STATUS_INVALID_VALUE
    STATUS_MAPPING_ERROR STATUS_MATRIX_TYPE_NOT_SUPPORTED STATUS_NOT_INITIALIZED STATUS_NOT_SUPPORTED STATUS_SUCCESS
    STATUS_ZERO_PIVOT
"""

# cublasX becomes hipblasX; the routines with each prefix of a type, S, D, C and Z. CUBLAS_X becomes HIPBLAS_X.
_BLAS = """
    Create Destroy Handle_t SetStream GetStream SetPointerMode GetPointerMode SetVector GetVector SetMatrix GetMatrix
    Status_t Operation_t PointerMode_t FillMode_t DiagType_t SideMode_t
    Scasum Dzasum Scnrm2 Dznrm2 Icamax Idamax Isamax Izamax Icamin Idamin Isamin Izamin Sasum Dasum Snrm2 Dnrm2 Sdot Ddot
    Cdotu Cdotc Zdotu Zdotc Cgeru Cgerc Zgeru Zgerc Sger Dger Csscal Zdscal Chemv Zhemv Chemm Zhemm Cherk Zherk Cher2k Zher2k
    Cher Zher
"""
_BLAS_ROUTINES = """
    axpy copy scal swap gemv gbmv symv trmv trsv gemm gemmBatched gemmStridedBatched symm syrk syr2k trsm geam dgmm
    getrfBatched getriBatched
"""  # not trmm: its arguments differ
_BLAS_CONSTANTS = """
    STATUS_SUCCESS STATUS_NOT_INITIALIZED STATUS_ALLOC_FAILED STATUS_INVALID_VALUE STATUS_ARCH_MISMATCH STATUS_MAPPING_ERROR
    STATUS_EXECUTION_FAILED STATUS_INTERNAL_ERROR STATUS_NOT_SUPPORTED OP_N OP_T OP_C FILL_MODE_LOWER FILL_MODE_UPPER
    FILL_MODE_FULL DIAG_NON_UNIT DIAG_UNIT SIDE_LEFT SIDE_RIGHT POINTER_MODE_HOST POINTER_MODE_DEVICE
"""

# curandX becomes hiprandX, CURAND_X becomes HIPRAND_X, curand_x (on the device) becomes hiprand_x.
_RAND = """
    CreateGenerator CreateGeneratorHost DestroyGenerator Generate GenerateUniform GenerateUniformDouble GenerateNormal
    GenerateNormalDouble GenerateLogNormal GenerateLogNormalDouble GeneratePoisson GenerateSeeds Generator_t GetVersion
    SetGeneratorOffset SetPseudoRandomGeneratorSeed SetQuasiRandomGeneratorDimensions SetStream Status_t RngType_t State
    State_t StateXORWOW StateXORWOW_t StateMRG32k3a StateMRG32k3a_t StatePhilox4_32_10_t
"""
_RAND_DEVICE = """
    init uniform uniform4 uniform_double uniform2_double normal normal2 normal4 normal_double normal2_double log_normal
    log_normal_double poisson
"""
_RAND_CONSTANTS = """
    STATUS_SUCCESS STATUS_VERSION_MISMATCH STATUS_NOT_INITIALIZED STATUS_ALLOCATION_FAILED STATUS_TYPE_ERROR
    STATUS_OUT_OF_RANGE STATUS_LAUNCH_FAILURE STATUS_INTERNAL_ERROR RNG_PSEUDO_DEFAULT RNG_PSEUDO_XORWOW RNG_PSEUDO_MRG32K3A
    RNG_PSEUDO_MTGP32 RNG_PSEUDO_MT19937 RNG_PSEUDO_PHILOX4_32_10 RNG_QUASI_DEFAULT RNG_QUASI_SOBOL32
"""

_IRREGULAR = {
    "cudaDeviceProp": "hipDeviceProp_t",
    "cudaErrorInitializationError": "hipErrorNotInitialized",
    "cudaErrorMemoryAllocation": "hipErrorOutOfMemory",
    "cudaHostAlloc": "hipHostMalloc",
    "cudaHostAllocDefault": "hipHostMallocDefault",
    "cudaHostAllocMapped": "hipHostMallocMapped",
    "cudaHostAllocPortable": "hipHostMallocPortable",
    "cudaHostAllocWriteCombined": "hipHostMallocWriteCombined",
    "cudaMallocHost": "hipHostMalloc",
    "cudaFreeHost": "hipHostFree",
    "cudaPointerAttributes": "hipPointerAttribute_t",
    "cudaDevAttrMultiProcessorCount": "hipDeviceAttributeMultiprocessorCount",
    "cudaDevAttrMaxThreadsPerBlock": "hipDeviceAttributeMaxThreadsPerBlock",
    "cudaDevAttrMaxThreadsPerMultiProcessor": "hipDeviceAttributeMaxThreadsPerMultiProcessor",
    "cudaDevAttrMaxSharedMemoryPerBlock": "hipDeviceAttributeMaxSharedMemoryPerBlock",
    "cudaDevAttrWarpSize": "hipDeviceAttributeWarpSize",
    "cudaDevAttrClockRate": "hipDeviceAttributeClockRate",
    "cudaDevAttrComputeCapabilityMajor": "hipDeviceAttributeComputeCapabilityMajor",
    "cudaDevAttrComputeCapabilityMinor": "hipDeviceAttributeComputeCapabilityMinor",
    "cudaDevAttrConcurrentManagedAccess": "hipDeviceAttributeConcurrentManagedAccess",
    "CUstream_st": "SPRUCE_HIP_STREAM_STRUCT",
    "cudaDataType": "hipDataType",
    "cudaDataType_t": "hipDataType",
    "CUDA_R_16F": "HIP_R_16F",
    "CUDA_R_32F": "HIP_R_32F",
    "CUDA_R_64F": "HIP_R_64F",
    "CUDA_C_16F": "HIP_C_16F",
    "CUDA_C_32F": "HIP_C_32F",
    "CUDA_C_64F": "HIP_C_64F",
    "CUSPARSE_ORDER_COL": "HIPSPARSE_ORDER_COLUMN",
    "cublasCreate_v2": "hipblasCreate",
    "cublasDestroy_v2": "hipblasDestroy",
    "curand": "hiprand",
    "cuComplex": "hipComplex",
    "cuFloatComplex": "hipFloatComplex",
    "cuDoubleComplex": "hipDoubleComplex",
    "make_cuComplex": "make_hipComplex",
    "make_cuFloatComplex": "make_hipFloatComplex",
    "make_cuDoubleComplex": "make_hipDoubleComplex",
    "__CUDACC__": "__HIPCC__",
    "__NVCC__": "__HIPCC__",
    "__nv_bfloat16": "hip_bfloat16",
}
_IRREGULAR.update({f"cu{part}{suffix}": f"hip{part}{suffix}" for suffix in ("", "f")
                   for part in ("Creal", "Cimag", "Conj", "Cadd", "Csub", "Cmul", "Cdiv", "Cabs", "Cfma")})


def _make_names():
    names = dict(_IRREGULAR)
    for words, cuda, hip in [(_RUNTIME, "cuda", "hip"),
                             (_SPARSE, "cusparse", "hipsparse"), (_SPARSE_CONSTANTS, "CUSPARSE_", "HIPSPARSE_"),
                             (_BLAS, "cublas", "hipblas"), (_BLAS_CONSTANTS, "CUBLAS_", "HIPBLAS_"),
                             (_RAND, "curand", "hiprand"), (_RAND_CONSTANTS, "CURAND_", "HIPRAND_"),
                             (_RAND_DEVICE, "curand_", "hiprand_")]:
        names.update({cuda + word: hip + word for word in words.split()})
    for routine in _BLAS_ROUTINES.split():
        names.update({f"cublas{prefix}{routine}": f"hipblas{prefix}{routine}" for prefix in "SDCZ"})
    return names


NAMES = _make_names()

# Names that belong to the vendor: what is not in NAMES is refused.
VENDOR_NAME = re.compile(r"""
    (cuda|cusparse|cublas|cusolver|cufft|curand|nvtx|nvrtc|nvml|nvshmem|nccl) [A-Z]\w* | curand(_\w*)? | cu[A-Z]\w* | CU[a-z]\w* |
    (CUDA|CUDART|CUSPARSE|CUBLAS|CUSOLVER|CUFFT|CURAND|CUB|NVTX|NCCL)_\w* | __CUDA\w* | __NV_?\w* | __nv_\w* |
    cub | nvcuda | nvstd | wmma""", re.VERBOSE)

# What names are pasted together from: cuda##_name.
PREFIXES = {"cuda": "hip", "CUDA_": "HIP_", "cusparse": "hipsparse", "CUSPARSE_": "HIPSPARSE_", "cublas": "hipblas",
            "CUBLAS_": "HIPBLAS_", "curand": "hiprand", "CURAND_": "HIPRAND_"}

# Spruce's own names, word by word: CudaExecutor, spruce_cuda_entry, SPRUCE_CUDA_X.
_WORDS = {"cuda": "hip", "cusparse": "hipsparse", "cublas": "hipblas", "curand": "hiprand"}
_OWN_WORD = re.compile("|".join(
    [f"(?:(?<=_)|^){form(word)}(?=_|$)" for word in _WORDS for form in (str.lower, str.upper)] +
    [f"{word.capitalize()}(?=[A-Z0-9_]|$)" for word in _WORDS]))


def rename(name):
    """The name in HIP, the same name where nothing changes; None for a name of the vendor's that is not known."""
    if name in NAMES:
        return NAMES[name]
    if VENDOR_NAME.fullmatch(name):
        return None

    def translate(match):
        word = match.group()
        translated = _WORDS[word.lower()]
        return translated.upper() if word.isupper() else translated.capitalize() if word[0].isupper() else translated

    return _OWN_WORD.sub(translate, name)


HEADERS = {
    "cuda.h": "hip/hip_runtime.h",
    "cuda_runtime.h": "hip/hip_runtime.h",
    "cuda_runtime_api.h": "hip/hip_runtime_api.h",
    "device_launch_parameters.h": "hip/hip_runtime.h",
    "cuda_fp16.h": "hip/hip_fp16.h",
    "cuda_bf16.h": "hip/hip_bfloat16.h",
    "cuComplex.h": "hip/hip_complex.h",
    "library_types.h": "hip/library_types.h",
    "cusparse.h": "hipsparse/hipsparse.h",
    "cusparse_v2.h": "hipsparse/hipsparse.h",
    "cublas.h": "hipblas/hipblas.h",
    "cublas_v2.h": "hipblas/hipblas.h",
    "curand.h": "hiprand/hiprand.h",
    "curand_kernel.h": "hiprand/hiprand_kernel.h",
}
# Headers of the vendor's: what is not in HEADERS is refused.
VENDOR_HEADER = re.compile(r"(cu[A-Z_]|cuda|cusparse|cublas|cusolver|cufft|curand|cub/|nv|texture_|surface_|cooperative_groups|mma\.h|nccl).*")

# Functions with an argument that takes another form: name: (which argument, what is put before and after it).
_AS_SYMBOL = ("HIP_SYMBOL(", ")")
_AS_FUNCTION = ("reinterpret_cast<const void*>(", ")")
ARGUMENTS = {
    "cudaMemcpyToSymbol": (0, _AS_SYMBOL),
    "cudaMemcpyToSymbolAsync": (0, _AS_SYMBOL),
    "cudaMemcpyFromSymbol": (1, _AS_SYMBOL),
    "cudaMemcpyFromSymbolAsync": (1, _AS_SYMBOL),
    "cudaGetSymbolAddress": (1, _AS_SYMBOL),
    "cudaGetSymbolSize": (1, _AS_SYMBOL),
    "cudaFuncSetAttribute": (0, _AS_FUNCTION),
    "cudaFuncSetCacheConfig": (0, _AS_FUNCTION),
    "cudaFuncGetAttributes": (1, _AS_FUNCTION),
    "cudaLaunchKernel": (0, _AS_FUNCTION),
}

# Warp-wide operations: what they become with {mask} and {rest}, the arguments after the mask.
WARP_OPERATIONS = {
    "__shfl_sync": "__shfl({rest})",
    "__shfl_up_sync": "__shfl_up({rest})",
    "__shfl_down_sync": "__shfl_down({rest})",
    "__shfl_xor_sync": "__shfl_xor({rest})",
    "__ballot_sync": "(__ballot({rest}) & ({mask}))",
    "__any_sync": "((__ballot({rest}) & ({mask})) != 0)",
    "__all_sync": "((__ballot(!({rest})) & ({mask})) == 0)",
}

# Names without a vendor's prefix that HIP lacks, or that mean something else there, and why.
_INLINE_ASSEMBLY = "inline assembly is of one machine; put it behind a function of cuda/components and hip/components"
_TEXTURE = "textures and surfaces are not translated"
_COOPERATIVE = "cooperative groups of the vendor are not translated; use group:: of common/gpu/components/cooperative_groups.hpp"
_CACHE_HINT = "HIP has no such load or store; put it behind a function of cuda/components and hip/components"
_WARP = "HIP has no such warp operation; use group:: of common/gpu/components/cooperative_groups.hpp"
REFUSED = {
    **dict.fromkeys(["asm", "__asm__", "__asm"], _INLINE_ASSEMBLY),
    **dict.fromkeys(["texture", "surface", "tex1D", "tex2D", "tex3D", "tex1Dfetch", "tex2DLod", "surf1Dread", "surf2Dread",
                     "surf1Dwrite", "surf2Dwrite"], _TEXTURE),
    **dict.fromkeys(["cooperative_groups", "this_grid", "this_multi_grid", "cg"], _COOPERATIVE),
    **dict.fromkeys(["__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv", "__stwb", "__stcg", "__stcs", "__stwt"], _CACHE_HINT),
    **dict.fromkeys(["__syncwarp", "__match_any_sync", "__match_all_sync", "__reduce_add_sync", "__reduce_min_sync",
                     "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync", "__activemask"], _WARP),
    **dict.fromkeys(["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all"],
                    "CUDA has it only with a mask (..._sync); on HIP it would be every active lane of up to 64"),
    **dict.fromkeys(["__nanosleep", "__cluster_dims__", "__grid_constant__", "__dp4a", "__dp2a_lo", "__dp2a_hi"], "HIP has no such thing"),
    **dict.fromkeys([f"atomic{operation}{scope}" for scope in ("_block", "_system")
                     for operation in ("Add", "Sub", "Exch", "Min", "Max", "And", "Or", "Xor", "CAS", "Inc", "Dec")],
                    "the scope of atomics is spelled in another way on HIP"),
}

# Reasons for names of the vendor's that deserve more than "unknown".
REASONS = [
    (re.compile(r"cuda.*(Texture|Surface|ArrayDesc|Array_t|MallocArray|Tex).*|cuda(Bind|Unbind).*"), _TEXTURE),
    (re.compile(r"cuda.*Cooperative.*"), "cooperative launches are not translated"),
    (re.compile(r"cuda.*Graph.*"), "graphs are not translated"),
    (re.compile(r"__CUDA_ARCH__.*"), "the number of an NVIDIA architecture says nothing about AMD's; only whether it is defined can be asked"),
    (re.compile(r"(CUDA|CUDART|CUSPARSE|CUBLAS)_VERSION|__CUDACC_VER.*"), "versions of CUDA say nothing about HIP"),
    (re.compile(r"wmma|nvcuda"), "tensor cores are not translated"),
    (re.compile(r"cub"), "CUB is not translated; the library brings its own scans, sorts and reductions"),
]


def reason_for(name):
    for pattern, reason in REASONS:
        if pattern.fullmatch(name):
            return reason
    return "unknown name of CUDA's; if HIP has it with the same meaning, add it to dev_tools/cuda2hip_names.py"
